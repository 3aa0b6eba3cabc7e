import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Child } from './child';
import { converse, inParallel, park, type Stage, type Times } from './converse';
import type { Side } from './sides';

/** A side with the process its worker runs in. */
export interface Contestant {
  side: Side;
  child: Child;
}

/** What a side has shown so far; its turns add to it. */
export interface Tally {
  alone: Times[];
  busy: Times[];
  /** Conversations a second, turn by turn. */
  throughput: number[];
  workerCpuMs: number;
  serverCpuMs: number;
}

export function emptyTally(): Tally {
  return { alone: [], busy: [], throughput: [], workerCpuMs: 0, serverCpuMs: 0 };
}

/** One side's turn: so many conversations, so many at once. */
export async function takeTurn(
  stage: Stage,
  { side, child }: Contestant,
  tally: Tally,
  ids: string[],
  concurrency: number,
): Promise<void> {
  const worker = (await child.used()).cpuMs;
  const server = cpuOf(stage.serverPid);
  const began = performance.now();
  tally.busy.push(...(await inParallel(ids, concurrency, (id) => converse(stage, side, id))));
  tally.throughput.push((1_000 * ids.length) / (performance.now() - began));
  tally.serverCpuMs += cpuOf(stage.serverPid) - server;
  tally.workerCpuMs += (await child.used()).cpuMs - worker;
}

const TICK_MS = 10;

/** The server's CPU time where /proc tells it; not a number elsewhere. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

export interface History {
  events: number;
  bytes: number;
  tasks: number;
}

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;

/** What a finished conversation left in Temporal. */
export async function historyOf(client: Client, id: string): Promise<History> {
  const handle = client.workflow.getHandle(id);
  const { historyLength, historySize } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const tasks = events?.filter((event) => event.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED) ?? [];
  return { events: historyLength, bytes: historySize ?? Number.NaN, tasks: tasks.length };
}

/** By how many bytes the worker grew for each parked conversation that fits its cache, and for each beyond. */
export interface Growth {
  cached: number;
  beyond: number;
}

/** Fill the cache with parked conversations, then park more. Roughly: it is the growth of the whole process. */
export async function growthOf(
  stage: Stage,
  { side, child }: Contestant,
  { cache, parked, concurrency }: { cache: number; parked: number; concurrency: number },
): Promise<Growth> {
  const parkMany = async (label: string, count: number) => {
    await inParallel(idsOf(`${side.name}-${label}`, count), concurrency, (id) => park(stage, side, id));
    return (await child.used()).rss;
  };
  const before = await parkMany('first', concurrency);
  const filled = await parkMany('cached', cache);
  const after = await parkMany('beyond', parked);
  return { cached: (filled - before) / cache, beyond: (after - filled) / parked };
}

export function idsOf(label: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${label}-${index + 1}`);
}
