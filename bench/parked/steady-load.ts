import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  findVisibleEvents,
  longPollHistory,
  openStreamViewer,
  readEventTimeMs,
  type StreamViewer,
} from '../live-viewers';
import { countTemporalRpcs, type RpcCounts, readCpuTimeMs, subtractRpcCounts } from '../measure';
import type { BenchContext, RunningSubject } from '../setup';

/** Results of answers sent at a fixed rate, whether or not earlier ones have completed. */
export interface SteadyLoadResult {
  /** From the due time to the reply, in milliseconds. */
  repliedMs: number[];
  /** From the due time to the arrival of the second activity's call. */
  resumedMs: number[];
  rpcCounts: RpcCounts;
  workerCpuMs: number;
  serverCpuMs: number;
}

export async function measureSteadyLoad(
  context: BenchContext,
  runningSubject: RunningSubject,
  ids: string[],
  perSecond: number,
): Promise<SteadyLoadResult> {
  const { subject, child, api } = runningSubject;
  const cpu = () => readCpuTimeMs(child.pid) + (api ? readCpuTimeMs(api.pid) : 0);
  const before = {
    calls: await countTemporalRpcs(context),
    worker: cpu(),
    server: readCpuTimeMs(context.serverPid),
  };
  const times = await answerAtFixedRate(context, runningSubject, ids, perSecond);
  const workerCpuMs = cpu() - before.worker;
  const serverCpuMs = readCpuTimeMs(context.serverPid) - before.server;
  const calls = subtractRpcCounts(before.calls, await countTemporalRpcs(context));
  for (const id of ids) {
    const result = await subject.result(id);
    if (!subject.isExpectedResult(result))
      throw new Error(`${subject.name}: conversation ${id} ended unexpectedly: ${JSON.stringify(result)}`);
  }
  return { ...times, rpcCounts: calls, workerCpuMs, serverCpuMs };
}

/** Sends each answer when it is due: a slow one does not delay the next. */
async function answerAtFixedRate(
  { callbackServer }: BenchContext,
  { subject }: RunningSubject,
  ids: string[],
  perSecond: number,
): Promise<Pick<SteadyLoadResult, 'repliedMs' | 'resumedMs'>> {
  const startedAt = performance.now();
  const times = await Promise.all(
    ids.map(async (id, index) => {
      const dueAt = startedAt + (1_000 * (index + 1)) / perSecond;
      const resumedAt = callbackServer.waitForCall(id, 2);
      await pause(dueAt - performance.now());
      await subject.answer(id);
      const replied = performance.now() - dueAt;
      return { replied, resumed: (await resumedAt) - dueAt };
    }),
  );
  return { repliedMs: times.map(({ replied }) => replied), resumedMs: times.map(({ resumed }) => resumed) };
}

/** Many viewers, each of a different conversation, while some of these are answered. */
export interface ParkedViewerStats {
  viewers: number;
  /** From an event in Temporal's history to its line at the viewer, in milliseconds. */
  lags: number[];
  /** The API's memory per viewer; `NaN` for the bare subject, which has no API. */
  heapBytes: number;
  rssBytes: number;
}

/** Measures viewers: Parley's follow live events; the bare subject's each long-poll a history. */
export function measureParkedViewers(
  context: BenchContext,
  runningSubject: RunningSubject,
  load: ViewerLoad,
): Promise<ParkedViewerStats> {
  return (runningSubject.api ? measureParleyViewers : measureBareViewers)(context, runningSubject, load);
}

async function measureParleyViewers(
  context: BenchContext,
  runningSubject: RunningSubject,
  { watchedIds, answeredIds, perSecond }: ViewerLoad,
): Promise<ParkedViewerStats> {
  const { api } = runningSubject;
  if (!api) throw new Error('Viewers need an API.');
  const before = await api.readUsage();
  const viewersById = new Map<string, StreamViewer>();
  for (const id of watchedIds) viewersById.set(id, await openStreamViewer(api.url, id));
  const after = await api.readUsage();
  await answerAtFixedRate(context, runningSubject, answeredIds, perSecond);
  const lags: number[] = [];
  for (const id of answeredIds) {
    await runningSubject.subject.result(id);
    const { events } = await longPollHistory(context, id);
    const seen = await viewersById.get(id)?.firstSeenAtMs;
    for (const [name, event] of findVisibleEvents(events)) {
      const at = seen?.get(name);
      if (at !== undefined) lags.push(at - readEventTimeMs(event));
    }
  }
  for (const { disconnect } of viewersById.values()) disconnect();
  const viewers = watchedIds.length;
  return {
    viewers,
    lags,
    heapBytes: (after.heapBytes - before.heapBytes) / viewers,
    rssBytes: (after.rssBytes - before.rssBytes) / viewers,
  };
}

async function measureBareViewers(
  context: BenchContext,
  runningSubject: RunningSubject,
  { watchedIds, answeredIds, perSecond }: ViewerLoad,
): Promise<ParkedViewerStats> {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const polls = new Map(watchedIds.map((id) => [id, longPollHistory(context, id, abort.signal)]));
  for (const poll of polls.values()) poll.catch(() => undefined);
  await answerAtFixedRate(context, runningSubject, answeredIds, perSecond);
  const lags: number[] = [];
  for (const id of answeredIds) {
    const { events, polledAtMs } = (await polls.get(id)) ?? { events: [], polledAtMs: new Map<number, number>() };
    for (const [name, event] of findVisibleEvents(events)) {
      const at = polledAtMs.get(Number(event.eventId));
      if (name !== 'question_pending' && at !== undefined) lags.push(at - readEventTimeMs(event));
    }
  }
  abort.abort();
  return { viewers: watchedIds.length, lags, heapBytes: Number.NaN, rssBytes: Number.NaN };
}

interface ViewerLoad {
  watchedIds: string[];
  /** Those of the watched conversations that are answered. */
  answeredIds: string[];
  perSecond: number;
}
