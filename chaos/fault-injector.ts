import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProcess, TemporalServer } from '#test/support/temporal-postgres/server-process';
import type { ParleyCluster } from './cluster/cluster';
import type { SupervisedProcess } from './cluster/supervised-process';
import { restartServerProcesses } from './cluster/temporal-server';
import { createSeededRandom, type SeededRandom } from './random';
import type { FlakyModel } from './scenario/flaky-model';

/** A fault that happened. */
export interface InjectedFault {
  fault: string;
  startedAt: number;
  /** When everything was up again, as far as the harness can tell. */
  endedAt?: number;
}

export interface FaultInjectionOptions {
  seed: string;
  /** Time between the starts of two faults. */
  gapMs: [from: number, to: number];
  /** Maximum number of times for each fault. */
  rounds?: number;
  log(line: string): void;
}

/** Yields every fault once in random order, then again, so that even a short run has each of them. */
function* shuffleFaults(
  chance: SeededRandom,
  faults: { [name: string]: FaultAction },
  rounds = Number.POSITIVE_INFINITY,
): Generator<[string, FaultAction]> {
  for (let round = 0; round < rounds; round += 1) {
    const left = Object.entries(faults);
    while (left.length > 0) yield left.splice(chance.int(0, left.length - 1), 1)[0] as [string, FaultAction];
  }
}

/** If the gap between faults is shorter than this, faults are shorter too. */
const USUAL_GAP_MS = 20_000;

/** A deploy takes a while; other faults may happen meanwhile. */
const DEPLOY_FAULT = 'deploy another build';

/** Injects faults until the signal aborts. The next begins when its gap has passed and the last one is over. */
export async function injectFaults(
  target: FaultTarget,
  { seed, gapMs, rounds, log }: FaultInjectionOptions,
  stopSignal: AbortSignal,
): Promise<InjectedFault[]> {
  const faults: InjectedFault[] = [];
  const chance = createSeededRandom(seed, 'faults');
  const durationFactor = Math.min(1, gapMs[1] / USUAL_GAP_MS);
  let deploy: Promise<void> = Promise.resolve();
  const inject = async (fault: string, work: FaultAction) => {
    const injected: InjectedFault = { fault, startedAt: Date.now() };
    faults.push(injected);
    log(fault);
    const own = createSeededRandom(seed, fault, faults.length);
    await work(target, (from, to) => durationFactor * own.int(from, to), own);
    injected.endedAt = Date.now();
  };
  let lastFault: Promise<unknown> = Promise.resolve();
  for (const [fault, work] of shuffleFaults(chance, listFaults(target.server), rounds)) {
    const gap = pause(chance.int(...gapMs), undefined, { signal: stopSignal }).catch(() => undefined);
    await Promise.all([gap, lastFault]);
    if (stopSignal.aborted) break;
    if (fault === DEPLOY_FAULT) deploy = deploy.then(() => inject(fault, work));
    else lastFault = inject(fault, work);
  }
  await Promise.all([lastFault, deploy]);
  return faults;
}

/** What faults are injected into. */
interface FaultTarget {
  cluster: ParleyCluster;
  server: TemporalServer;
  model: FlakyModel;
}

/** Injects a fault; resolves when everything is as before. */
type FaultAction = (target: FaultTarget, pickDuration: PickDuration, chance: SeededRandom) => Promise<void>;

/** Picks a random duration in milliseconds. */
type PickDuration = (from: number, to: number) => number;

/** Kills the processes and waits until each has been restarted. */
async function killProcesses(processes: SupervisedProcess[], awayMs: number): Promise<void> {
  const before = processes.map((one) => one.pid());
  for (const one of processes) {
    one.delayNextRestart(awayMs);
    one.signal('SIGKILL');
  }
  do await pause(50);
  while (
    // A deploy may have stopped it meanwhile.
    processes.some((one, index) => one.isSupervised() && (!one.isUp() || one.pid() === before[index]))
  );
}

/** Freezes a process with SIGSTOP for a while, as a swapping or sleeping machine does. */
async function freezeProcess(signal: (name: NodeJS.Signals) => void, ms: number): Promise<void> {
  signal('SIGSTOP');
  await pause(ms);
  signal('SIGCONT');
}

const pickWorkerProcess = ({ cluster }: FaultTarget, chance: SeededRandom) => chance.pick(cluster.workers());
const pickApiProcess = ({ cluster }: FaultTarget, chance: SeededRandom) => chance.pick(cluster.apis);

function findServerProcess({ server }: FaultTarget, name: ServerProcess['name']): ServerProcess {
  const found = server.parts.find((part) => part.name === name);
  if (!found) throw new Error(`This server does not support ${name}.`);
  return found;
}

function killServerProcess(part: ServerProcess, pickDuration: PickDuration): Promise<void> {
  return restartServerProcesses([part], () => pause(pickDuration(50, 2_500)));
}

/** Freezes the process and its children: each backend of PostgreSQL is a separate process. */
async function freezeServerProcess(part: ServerProcess, ms: number): Promise<void> {
  const pids = listProcessTree(part.pid());
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) signalIfAlive(pid, name);
  };
  await freezeProcess(signal, ms);
}

function listProcessTree(pid: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return [pid, ...pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))];
}

function signalIfAlive(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Kills and restarts everything at once, as in a power cut. */
async function restartEverything({ cluster, server }: FaultTarget, pickDuration: PickDuration): Promise<void> {
  const processesBack = killProcesses([...cluster.apis, ...cluster.workers()], pickDuration(500, 2_000));
  await restartServerProcesses(server.parts, () => pause(pickDuration(50, 1_000)));
  await processesBack;
}

const commonFaults = {
  'kill a worker': (target, pickDuration, chance) =>
    killProcesses([pickWorkerProcess(target, chance)], pickDuration(300, 4_000)),
  'stop a worker': (target, pickDuration, chance) =>
    freezeProcess(pickWorkerProcess(target, chance).signal, pickDuration(1_000, 14_000)),
  'kill all workers': ({ cluster }, pickDuration) => killProcesses(cluster.workers(), pickDuration(2_000, 8_000)),
  'kill an API': (target, pickDuration, chance) =>
    killProcesses([pickApiProcess(target, chance)], pickDuration(300, 4_000)),
  'stop an API': (target, pickDuration, chance) =>
    freezeProcess(pickApiProcess(target, chance).signal, pickDuration(1_000, 12_000)),
  'kill Temporal': (target, pickDuration) => killServerProcess(findServerProcess(target, 'temporal'), pickDuration),
  'stop Temporal': (target, pickDuration) =>
    freezeServerProcess(findServerProcess(target, 'temporal'), pickDuration(500, 8_000)),
  'restart everything': restartEverything,
  'deploy another build': ({ cluster }) => cluster.deploy(),
  'model down': async ({ model }, pickDuration) => {
    await model.down();
    await pause(pickDuration(2_000, 12_000));
    await model.up();
  },
} satisfies { [name: string]: FaultAction };

const postgresFaults = {
  ...commonFaults,
  'kill PostgreSQL': (target, pickDuration) => killServerProcess(findServerProcess(target, 'postgres'), pickDuration),
  'stop PostgreSQL': (target, pickDuration) =>
    freezeServerProcess(findServerProcess(target, 'postgres'), pickDuration(500, 8_000)),
} satisfies { [name: string]: FaultAction };

function listFaults(server: TemporalServer): { [name: string]: FaultAction } {
  return server.parts.some(({ name }) => name === 'postgres') ? postgresFaults : commonFaults;
}
