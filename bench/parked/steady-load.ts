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

/** Of answers that came by the clock, whether or not those before them had been seen to. */
export interface SteadyLoadResult {
  /** From the moment it was due to the reply, in milliseconds. */
  replied: number[];
  /** From that moment to the second activity's call arriving outside. */
  resumed: number[];
  calls: RpcCounts;
  workerCpuMs: number;
  serverCpuMs: number;
}

export async function measureSteadyLoad(
  stage: BenchContext,
  contestant: RunningSubject,
  ids: string[],
  perSecond: number,
): Promise<SteadyLoadResult> {
  const { side, child, api } = contestant;
  const cpu = () => readCpuTimeMs(child.pid) + (api ? readCpuTimeMs(api.pid) : 0);
  const before = {
    calls: await countTemporalRpcs(stage),
    worker: cpu(),
    server: readCpuTimeMs(stage.serverPid),
  };
  const times = await answerAtFixedRate(stage, contestant, ids, perSecond);
  const workerCpuMs = cpu() - before.worker;
  const serverCpuMs = readCpuTimeMs(stage.serverPid) - before.server;
  const calls = subtractRpcCounts(before.calls, await countTemporalRpcs(stage));
  for (const id of ids) {
    const result = await side.result(id);
    if (!side.isRight(result))
      throw new Error(`${side.name}: conversation ${id} ended wrongly: ${JSON.stringify(result)}`);
  }
  return { ...times, calls, workerCpuMs, serverCpuMs };
}

/** Each is sent when it is due: one that is slow keeps none that follow. */
async function answerAtFixedRate(
  { world }: BenchContext,
  { side }: RunningSubject,
  ids: string[],
  perSecond: number,
): Promise<Pick<SteadyLoadResult, 'replied' | 'resumed'>> {
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

/** Many viewers, each of a conversation of its own, while people answer some of them. */
export interface ParkedViewerStats {
  viewers: number;
  /** From an event in Temporal's history to its line at the viewer, in milliseconds. */
  lags: number[];
  /** Of the API, for each viewer; it has none on the bare side. */
  held: number;
  rss: number;
}

/** Parley's viewers have its live events; the bare side's long-poll their history, each by itself. */
export function measureParkedViewers(
  stage: BenchContext,
  contestant: RunningSubject,
  crowds: ViewerLoad,
): Promise<ParkedViewerStats> {
  return (contestant.api ? measureParleyViewers : measureBareViewers)(stage, contestant, crowds);
}

async function measureParleyViewers(
  stage: BenchContext,
  contestant: RunningSubject,
  { watched, answered, perSecond }: ViewerLoad,
): Promise<ParkedViewerStats> {
  const { api } = contestant;
  if (!api) throw new Error('Viewers need an API.');
  const before = await api.used();
  const views = new Map<string, StreamViewer>();
  for (const id of watched) views.set(id, await openStreamViewer(api.url, id));
  const after = await api.used();
  await answerAtFixedRate(stage, contestant, answered, perSecond);
  const lags: number[] = [];
  for (const id of answered) {
    await contestant.side.result(id);
    const { events } = await longPollHistory(stage, id);
    const seen = await views.get(id)?.ended;
    for (const [name, made] of findVisibleEvents(events)) {
      const at = seen?.get(name);
      if (at !== undefined) lags.push(at - readEventTimeMs(made));
    }
  }
  for (const { leave } of views.values()) leave();
  const viewers = watched.length;
  return {
    viewers,
    lags,
    held: (after.held - before.held) / viewers,
    rss: (after.rss - before.rss) / viewers,
  };
}

async function measureBareViewers(
  stage: BenchContext,
  contestant: RunningSubject,
  { watched, answered, perSecond }: ViewerLoad,
): Promise<ParkedViewerStats> {
  const enough = new AbortController();
  setMaxListeners(0, enough.signal);
  const polls = new Map(watched.map((id) => [id, longPollHistory(stage, id, enough.signal)]));
  for (const poll of polls.values()) poll.catch(() => undefined);
  await answerAtFixedRate(stage, contestant, answered, perSecond);
  const lags: number[] = [];
  for (const id of answered) {
    const { events, polled } = (await polls.get(id)) ?? { events: [], polled: new Map<number, number>() };
    for (const [name, made] of findVisibleEvents(events)) {
      const at = polled.get(Number(made.eventId));
      if (name !== 'question_pending' && at !== undefined) lags.push(at - readEventTimeMs(made));
    }
  }
  enough.abort();
  return { viewers: watched.length, lags, held: Number.NaN, rss: Number.NaN };
}

interface ViewerLoad {
  watched: string[];
  /** Those of them that are answered. */
  answered: string[];
  perSecond: number;
}
