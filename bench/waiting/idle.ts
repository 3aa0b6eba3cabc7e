import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from '../converse';
import { type Contestant, cpuOf } from '../measure';

/** In percent of one core. */
export interface Idle {
  worker: number;
  api: number;
  server: number;
}

/** What everybody uses while nothing happens, for so long. */
export async function idleFor(stage: Stage, { child, api }: Contestant, ms: number): Promise<Idle> {
  const look = () => [child.pid, api?.pid, stage.serverPid].map((pid) => (pid ? cpuOf(pid) : Number.NaN));
  const before = look();
  const began = performance.now();
  await pause(ms);
  const after = look();
  const passed = performance.now() - began;
  const [worker = 0, of = 0, server = 0] = after.map((cpu, at) => (100 * (cpu - (before[at] ?? 0))) / passed);
  return { worker, api: of, server };
}
