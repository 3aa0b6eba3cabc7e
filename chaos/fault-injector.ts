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
  at: number;
  /** When all was there again, as far as it is for us to say. */
  until?: number;
}

export interface FaultInjectionOptions {
  seed: string;
  /** Between the beginnings of two faults. */
  gapMs: [from: number, to: number];
  /** How often each fault at most. */
  rounds?: number;
  say(line: string): void;
}

/** Every fault once in an order by chance, then again: so that none is left out, however short it is. */
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

/** Where faults are to follow each other faster than this, they are also shorter. */
const USUAL_GAP_MS = 20_000;

/** Bringing out a build takes a while, and other faults may well happen meanwhile. */
const DEPLOY_FAULT = 'deploy another build';

/** Do faults until it is enough: the next begins when its time has come and the last is mended. */
export async function injectFaults(
  target: FaultTarget,
  { seed, gapMs, rounds, say }: FaultInjectionOptions,
  enough: AbortSignal,
): Promise<InjectedFault[]> {
  const blows: InjectedFault[] = [];
  const chance = createSeededRandom(seed, 'faults');
  const pace = Math.min(1, gapMs[1] / USUAL_GAP_MS);
  let deploy: Promise<void> = Promise.resolve();
  const strike = async (fault: string, work: FaultAction) => {
    const blow: InjectedFault = { fault, at: Date.now() };
    blows.push(blow);
    say(fault);
    const own = createSeededRandom(seed, fault, blows.length);
    await work(target, (from, to) => pace * own.int(from, to), own);
    blow.until = Date.now();
  };
  let mended: Promise<unknown> = Promise.resolve();
  for (const [fault, work] of shuffleFaults(chance, listFaults(target.server), rounds)) {
    const gap = pause(chance.int(...gapMs), undefined, { signal: enough }).catch(() => undefined);
    await Promise.all([gap, mended]);
    if (enough.aborted) break;
    if (fault === DEPLOY_FAULT) deploy = deploy.then(() => strike(fault, work));
    else mended = strike(fault, work);
  }
  await Promise.all([mended, deploy]);
  return blows;
}

/** What faults can be done to. */
interface FaultTarget {
  fleet: ParleyCluster;
  server: TemporalServer;
  model: FlakyModel;
}

/** A fault that was planned: what is done, and it resolves when all is as before. */
type FaultAction = (target: FaultTarget, lasting: PickDuration, chance: SeededRandom) => Promise<void>;

/** For how many milliseconds, by chance. */
type PickDuration = (from: number, to: number) => number;

/** Killed, and back after a while, each as another process. */
async function killProcesses(processes: SupervisedProcess[], awayMs: number): Promise<void> {
  const before = processes.map((one) => one.pid());
  for (const one of processes) {
    one.stayAway(awayMs);
    one.signal('SIGKILL');
  }
  do await pause(50);
  while (
    // A deploy may have let it go meanwhile.
    processes.some((one, at) => one.isKept() && (!one.isUp() || one.pid() === before[at]))
  );
}

/** Stopped as a process is on a machine that swaps or sleeps, and then goes on as if nothing had been. */
async function freezeProcess(signal: (name: NodeJS.Signals) => void, ms: number): Promise<void> {
  signal('SIGSTOP');
  await pause(ms);
  signal('SIGCONT');
}

const pickWorkerProcess = ({ fleet }: FaultTarget, chance: SeededRandom) => chance.pick(fleet.workers());
const pickApiProcess = ({ fleet }: FaultTarget, chance: SeededRandom) => chance.pick(fleet.apis);

function findServerProcess({ server }: FaultTarget, name: ServerProcess['name']): ServerProcess {
  const found = server.parts.find((part) => part.name === name);
  if (!found) throw new Error(`This server has no ${name}.`);
  return found;
}

function killServerProcess(part: ServerProcess, lasting: PickDuration): Promise<void> {
  return restartServerProcesses([part], () => pause(lasting(50, 2_500)));
}

/** With those it has started: each backend of PostgreSQL is a process of its own. */
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

/** Everything at once, and everything again: a power cut. */
async function restartEverything({ fleet, server }: FaultTarget, lasting: PickDuration): Promise<void> {
  const back = killProcesses([...fleet.apis, ...fleet.workers()], lasting(500, 2_000));
  await restartServerProcesses(server.parts, () => pause(lasting(50, 1_000)));
  await back;
}

const commonFaults = {
  'kill a worker': (target, lasting, chance) => killProcesses([pickWorkerProcess(target, chance)], lasting(300, 4_000)),
  'stop a worker': (target, lasting, chance) =>
    freezeProcess(pickWorkerProcess(target, chance).signal, lasting(1_000, 14_000)),
  'kill all workers': ({ fleet }, lasting) => killProcesses(fleet.workers(), lasting(2_000, 8_000)),
  'kill an API': (target, lasting, chance) => killProcesses([pickApiProcess(target, chance)], lasting(300, 4_000)),
  'stop an API': (target, lasting, chance) =>
    freezeProcess(pickApiProcess(target, chance).signal, lasting(1_000, 12_000)),
  'kill Temporal': (target, lasting) => killServerProcess(findServerProcess(target, 'temporal'), lasting),
  'stop Temporal': (target, lasting) => freezeServerProcess(findServerProcess(target, 'temporal'), lasting(500, 8_000)),
  'restart everything': restartEverything,
  'deploy another build': ({ fleet }) => fleet.deploy(),
  'model down': async ({ model }, lasting) => {
    await model.down();
    await pause(lasting(2_000, 12_000));
    await model.up();
  },
} satisfies { [name: string]: FaultAction };

const postgresFaults = {
  ...commonFaults,
  'kill PostgreSQL': (target, lasting) => killServerProcess(findServerProcess(target, 'postgres'), lasting),
  'stop PostgreSQL': (target, lasting) =>
    freezeServerProcess(findServerProcess(target, 'postgres'), lasting(500, 8_000)),
} satisfies { [name: string]: FaultAction };

function listFaults(server: TemporalServer): { [name: string]: FaultAction } {
  return server.parts.some(({ name }) => name === 'postgres') ? postgresFaults : commonFaults;
}
