import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { callsSince, countCalls, totalOf } from './calls';
import type { Child } from './child';
import { converse, inParallel, type Stage, type Times } from './converse';
import type { Side } from './sides';

/** A side with the process its worker runs in. */
export interface Contestant {
  side: Side;
  child: Child;
  /** Where that has a process of its own. */
  api?: Child;
}

/** What a side has shown so far; its turns add to it. */
export interface Tally {
  alone: Times[];
  busy: Times[];
  /** Conversations a second, turn by turn. */
  throughput: number[];
  workerCpuMs: number;
  serverCpuMs: number;
  /** Of Temporal, by whomever: worker, API, and whoever watches. */
  calls: number;
}

export function emptyTally(): Tally {
  return { alone: [], busy: [], throughput: [], workerCpuMs: 0, serverCpuMs: 0, calls: 0 };
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
  const calls = await countCalls(stage);
  const began = performance.now();
  tally.busy.push(...(await inParallel(ids, concurrency, (id) => converse(stage, side, id))));
  tally.throughput.push((1_000 * ids.length) / (performance.now() - began));
  tally.serverCpuMs += cpuOf(stage.serverPid) - server;
  tally.calls += totalOf(callsSince(calls, await countCalls(stage)));
  tally.workerCpuMs += (await child.used()).cpuMs - worker;
}

const TICK_MS = 10;

/** A process's CPU time where /proc tells it; not a number elsewhere. */
export function cpuOf(pid: number): number {
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

export function idsOf(label: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${label}-${index + 1}`);
}
