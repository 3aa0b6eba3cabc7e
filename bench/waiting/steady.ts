import { setTimeout as pause } from 'node:timers/promises';
import { type Calls, callsSince, countCalls } from '../calls';
import type { Stage } from '../converse';
import { type Contestant, cpuOf } from '../measure';

/** Of answers that came by the clock, whether or not those before them had been seen to. */
export interface Steady {
  /** From the moment it was due to the reply, in milliseconds. */
  replied: number[];
  /** From that moment to the second activity's call arriving outside. */
  resumed: number[];
  calls: Calls;
  workerCpuMs: number;
  serverCpuMs: number;
}

export async function answerSteadily(
  stage: Stage,
  contestant: Contestant,
  ids: string[],
  perSecond: number,
): Promise<Steady> {
  const { side, child, api } = contestant;
  const cpu = () => cpuOf(child.pid) + (api ? cpuOf(api.pid) : 0);
  const before = { calls: await countCalls(stage), worker: cpu(), server: cpuOf(stage.serverPid) };
  const times = await answerByTheClock(stage, contestant, ids, perSecond);
  const workerCpuMs = cpu() - before.worker;
  const serverCpuMs = cpuOf(stage.serverPid) - before.server;
  const calls = callsSince(before.calls, await countCalls(stage));
  for (const id of ids) {
    const result = await side.result(id);
    if (!side.isRight(result))
      throw new Error(`${side.name}: conversation ${id} ended wrongly: ${JSON.stringify(result)}`);
  }
  return { ...times, calls, workerCpuMs, serverCpuMs };
}

/** Each is sent when it is due: one that is slow keeps none that follow. */
export async function answerByTheClock(
  { world }: Stage,
  { side }: Contestant,
  ids: string[],
  perSecond: number,
): Promise<Pick<Steady, 'replied' | 'resumed'>> {
  const began = performance.now();
  const times = await Promise.all(
    ids.map(async (id, place) => {
      const due = began + (1_000 * (place + 1)) / perSecond;
      const resumes = world.arrival(id, 2);
      await pause(due - performance.now());
      await side.answer(id);
      const replied = performance.now() - due;
      return { replied, resumed: (await resumes) - due };
    }),
  );
  return { replied: times.map(({ replied }) => replied), resumed: times.map(({ resumed }) => resumed) };
}
