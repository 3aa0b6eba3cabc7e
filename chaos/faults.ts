import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance';
import type { Fleet } from './fleet';
import type { KeptProcess } from './kept-process';
import type { Model } from './model';
import { bounce } from './server/kept-up';
import type { Part, TemporalServer } from './server/server';

/** What faults can be done to. */
export interface Target {
  fleet: Fleet;
  server: TemporalServer;
  model: Model;
}

/** A fault that was planned: what is done, and it resolves when all is as before. */
export type Fault = (target: Target, lasting: Lasting, chance: Chance) => Promise<void>;

/** For how many milliseconds, by chance. */
type Lasting = (from: number, to: number) => number;

/** Killed, and back after a while, each as another process. */
async function kill(processes: KeptProcess[], awayMs: number): Promise<void> {
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
async function hold(signal: (name: NodeJS.Signals) => void, ms: number): Promise<void> {
  signal('SIGSTOP');
  await pause(ms);
  signal('SIGCONT');
}

const someWorker = ({ fleet }: Target, chance: Chance) => chance.pick(fleet.workers());
const someApi = ({ fleet }: Target, chance: Chance) => chance.pick(fleet.apis);

function partOf({ server }: Target, name: Part['name']): Part {
  const found = server.parts.find((part) => part.name === name);
  if (!found) throw new Error(`This server has no ${name}.`);
  return found;
}

function killPart(part: Part, lasting: Lasting): Promise<void> {
  return bounce([part], () => pause(lasting(50, 2_500)));
}

/** With those it has started: each backend of PostgreSQL is a process of its own. */
async function holdPart(part: Part, ms: number): Promise<void> {
  const pids = familyOf(part.pid());
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) signalIfThere(pid, name);
  };
  await hold(signal, ms);
}

function familyOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return [pid, ...pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))];
}

function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Everything at once, and everything again: a power cut. */
async function restartAll({ fleet, server }: Target, lasting: Lasting): Promise<void> {
  const back = kill([...fleet.apis, ...fleet.workers()], lasting(500, 2_000));
  await bounce(server.parts, () => pause(lasting(50, 1_000)));
  await back;
}

const withoutDatabase = {
  'kill a worker': (target, lasting, chance) => kill([someWorker(target, chance)], lasting(300, 4_000)),
  'stop a worker': (target, lasting, chance) =>
    hold(someWorker(target, chance).signal, lasting(1_000, 14_000)),
  'kill all workers': ({ fleet }, lasting) => kill(fleet.workers(), lasting(2_000, 8_000)),
  'kill an API': (target, lasting, chance) => kill([someApi(target, chance)], lasting(300, 4_000)),
  'stop an API': (target, lasting, chance) => hold(someApi(target, chance).signal, lasting(1_000, 12_000)),
  'kill Temporal': (target, lasting) => killPart(partOf(target, 'temporal'), lasting),
  'stop Temporal': (target, lasting) => holdPart(partOf(target, 'temporal'), lasting(500, 8_000)),
  'restart everything': restartAll,
  'deploy another build': ({ fleet }) => fleet.deploy(),
  'model down': async ({ model }, lasting) => {
    await model.down();
    await pause(lasting(2_000, 12_000));
    await model.up();
  },
} satisfies { [name: string]: Fault };

const withDatabase = {
  ...withoutDatabase,
  'kill PostgreSQL': (target, lasting) => killPart(partOf(target, 'postgres'), lasting),
  'stop PostgreSQL': (target, lasting) => holdPart(partOf(target, 'postgres'), lasting(500, 8_000)),
} satisfies { [name: string]: Fault };

export function faultsOf(server: TemporalServer): { [name: string]: Fault } {
  return server.parts.some(({ name }) => name === 'postgres') ? withDatabase : withoutDatabase;
}
