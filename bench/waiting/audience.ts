import { setMaxListeners } from 'node:events';
import type { Stage } from '../converse';
import type { Contestant } from '../measure';
import { momentsOf, pollHistory, timeOf, type View, view } from '../watching';
import { answerByTheClock } from './steady';

/** Many viewers, each of a conversation of its own, while people answer some of them. */
export interface Audience {
  viewers: number;
  /** From an event in Temporal's history to its line at the viewer, in milliseconds. */
  lags: number[];
  /** Of the API, for each viewer; it has none on the bare side. */
  held: number;
  rss: number;
}

/** Parley's viewers have its live events; the bare side's long-poll their history, each by itself. */
export function watchMany(stage: Stage, contestant: Contestant, crowds: Crowds): Promise<Audience> {
  return (contestant.api ? watchParley : watchBare)(stage, contestant, crowds);
}

async function watchParley(
  stage: Stage,
  contestant: Contestant,
  { watched, answered, perSecond }: Crowds,
): Promise<Audience> {
  const { api } = contestant;
  if (!api) throw new Error('Viewers need an API.');
  const before = await api.used();
  const views = new Map<string, View>();
  for (const id of watched) views.set(id, await view(api.url, id));
  const after = await api.used();
  await answerByTheClock(stage, contestant, answered, perSecond);
  const lags: number[] = [];
  for (const id of answered) {
    await contestant.side.result(id);
    const { events } = await pollHistory(stage, id);
    const seen = await views.get(id)?.ended;
    for (const [name, made] of momentsOf(events)) {
      const at = seen?.get(name);
      if (at !== undefined) lags.push(at - timeOf(made));
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

async function watchBare(
  stage: Stage,
  contestant: Contestant,
  { watched, answered, perSecond }: Crowds,
): Promise<Audience> {
  const enough = new AbortController();
  setMaxListeners(0, enough.signal);
  const polls = new Map(watched.map((id) => [id, pollHistory(stage, id, enough.signal)]));
  for (const poll of polls.values()) poll.catch(() => undefined);
  await answerByTheClock(stage, contestant, answered, perSecond);
  const lags: number[] = [];
  for (const id of answered) {
    const { events, polled } = (await polls.get(id)) ?? { events: [], polled: new Map<number, number>() };
    for (const [name, made] of momentsOf(events)) {
      const at = polled.get(Number(made.eventId));
      if (name !== 'question_pending' && at !== undefined) lags.push(at - timeOf(made));
    }
  }
  enough.abort();
  return { viewers: watched.length, lags, held: Number.NaN, rss: Number.NaN };
}

interface Crowds {
  watched: string[];
  /** Those of them that are answered. */
  answered: string[];
  perSecond: number;
}
