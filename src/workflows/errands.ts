import { workflowInfo } from '@temporalio/workflow';
import type { Conversation, Links } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { KeptCopy, Settling } from '#core/copies';
import { clip } from '#core/json';
import { WEBHOOK } from '#core/schedule';
import type { State } from '#core/state';
import { conversationOf } from '#core/view';

/** Where a courier goes, and what it tells there: what became of the question, or of the conversation. */
export interface Stop {
  /** The same however often it is told. */
  id: string;
  channel: string;
  tells: 'outcome' | 'end' | 'export';
  /** Of the callback. */
  url?: string;
  ref?: Record<string, string>;
  /** What to export: this run of the conversation has ended. */
  run?: { workflowId: string; runId: string };
}

/** Everything a courier takes along. */
export interface Round {
  title: string;
  links: Links;
  root: string;
  question?: Question;
  ended?: Conversation;
  stops: Stop[];
}

/** One thing to tell in one place. */
export type Errand = Omit<Round, 'stops'> & Omit<Stop, 'tells'>;

export function errandAt({ stops, question, ended, ...about }: Round, { tells, ...stop }: Stop): Errand {
  return { ...about, ...stop, ...(tells === 'outcome' ? { question } : tells === 'end' ? { ended } : {}) };
}

export function roundOf(
  { title, links, root }: State,
  told: Pick<Round, 'question' | 'ended' | 'stops'>,
): Round {
  return { title, links, root, ...told };
}

/** The callback is told of every outcome; the others where they have a copy. */
export function outcomeStops(state: State, settling: Settling): Stop[] {
  const { id, callbackUrl: url } = state;
  const callback = {
    id: `${id}/${settling.question.id}/settled`,
    channel: WEBHOOK,
    tells: 'outcome' as const,
  };
  return [...(url ? [{ ...callback, url }] : []), ...copyStops(state, settling)];
}

export function copyStops({ id }: State, { question, copies }: Settling): Stop[] {
  return copies.map(({ channel, number, ref }: KeptCopy) => ({
    id: `${id}/${question.id}/${number}/settled`,
    channel,
    tells: 'outcome',
    ref,
  }));
}

/** A sub-agent's end is the business of the one it works for; what it was is exported all the same. */
export function endStops({ id, callbackUrl: url, parent, lastEntry, exports }: State): Stop[] {
  const end = `${id}/end-${lastEntry}`;
  const run = { workflowId: id, runId: workflowInfo().runId };
  const told: Stop = { id: end, channel: WEBHOOK, tells: 'end', url: url ?? undefined };
  const exported: Stop = { id: `${end}/export`, channel: EXPORT, tells: 'export', run };
  return [...(url && !parent ? [told] : []), ...(exports ? [exported] : [])];
}

/** Where the courier goes with an export; no channel that people are told by. */
const EXPORT = 'export';

const RESULT_LENGTH = 12_000;

export function endedOf(state: State): Conversation {
  return { ...conversationOf(state), result: state.result && clip(state.result, RESULT_LENGTH) };
}
