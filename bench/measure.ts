import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { type ConversationTimes, runBenchConversation, runConcurrently } from './driver';
import type { BenchContext, RunningSubject } from './setup';

/** Measurements of a subject so far; each turn adds to them. */
export interface ThroughputTally {
  sequential: ConversationTimes[];
  concurrent: ConversationTimes[];
  /** Conversations per second, by turn. */
  conversationsPerSecond: number[];
  workerCpuMs: number;
  serverCpuMs: number;
  /** RPCs to Temporal from all callers: worker, API and viewers. */
  rpcCount: number;
}

export function createThroughputTally(): ThroughputTally {
  return { sequential: [], concurrent: [], conversationsPerSecond: [], workerCpuMs: 0, serverCpuMs: 0, rpcCount: 0 };
}

/** Runs one turn of a subject: the given conversations, `concurrency` at once. */
export async function measureTurn(
  context: BenchContext,
  { subject, child }: RunningSubject,
  tally: ThroughputTally,
  ids: string[],
  concurrency: number,
): Promise<void> {
  const workerCpuBefore = (await child.readUsage()).cpuMs;
  const serverCpuBefore = readCpuTimeMs(context.serverPid);
  const rpcsBefore = await countTemporalRpcs(context);
  const startedAt = performance.now();
  tally.concurrent.push(
    ...(await runConcurrently(ids, concurrency, (id) => runBenchConversation(context, subject, id))),
  );
  tally.conversationsPerSecond.push((1_000 * ids.length) / (performance.now() - startedAt));
  tally.serverCpuMs += readCpuTimeMs(context.serverPid) - serverCpuBefore;
  tally.rpcCount += sumRpcCounts(subtractRpcCounts(rpcsBefore, await countTemporalRpcs(context)));
  tally.workerCpuMs += (await child.readUsage()).cpuMs - workerCpuBefore;
}

const CLOCK_TICK_MS = 10;

/** Reads a process's CPU time from /proc; `NaN` where there is none. */
export function readCpuTimeMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
  } catch {
    return Number.NaN;
  }
}

export interface HistorySize {
  events: number;
  bytes: number;
  tasks: number;
}

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;

/** Reads the history size of a finished conversation. */
export async function readHistorySize(client: Client, id: string): Promise<HistorySize> {
  const handle = client.workflow.getHandle(id);
  const { historyLength, historySize } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const tasks = events?.filter((event) => event.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED) ?? [];
  return { events: historyLength, bytes: historySize ?? Number.NaN, tasks: tasks.length };
}

export function createConversationIds(label: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${label}-${index + 1}`);
}

/** RPCs by operation, from the server's metrics; empty if it has none. */
export type RpcCounts = Map<string, number>;

const REQUEST_METRIC = /^service_requests\{([^}]*)\} (\S+)$/gm;

export async function countTemporalRpcs({ metricsUrl }: BenchContext): Promise<RpcCounts> {
  const calls: RpcCounts = new Map();
  if (!metricsUrl) return calls;
  const text = await (await fetch(metricsUrl)).text();
  for (const [, labels = '', count] of text.matchAll(REQUEST_METRIC)) {
    // Excludes the server's own workflows, and calls without a namespace.
    const isOurs = !/namespace="(temporal-system|_unknown_)"/.test(labels);
    const operation = /operation="(\w+)"/.exec(labels)?.[1];
    if (isOurs && operation && labels.includes('service_name="frontend"'))
      calls.set(operation, (calls.get(operation) ?? 0) + Number(count));
  }
  return calls;
}

export function subtractRpcCounts(before: RpcCounts, now: RpcCounts): RpcCounts {
  const differences = [...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return new Map(differences.filter(([, count]) => count > 0));
}

export function sumRpcCounts(calls: RpcCounts): number {
  return calls.size > 0 ? [...calls.values()].reduce((sum, count) => sum + count, 0) : Number.NaN;
}
