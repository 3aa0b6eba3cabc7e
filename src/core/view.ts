import type { Conversation } from '#contract/conversation';
import type { Entry, Timeline } from '#contract/entry';
import type { Question } from '#contract/question';
import { audienceOf } from './audience';
import { clip } from './json';
import type { Piece } from './old-entries';
import { queuedBytes } from './settling';
import type { State, Verdict } from './state';

/** The conversation as everybody outside sees it. */
export function conversationOf(state: State): Conversation {
  return {
    id: state.id,
    agent: state.agent.name,
    status: state.status,
    title: state.title,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    completedAt: state.completedAt,
    question: state.question,
    questionsAsked: state.asked.total,
    result: state.result,
    error: state.error,
    usage: state.usage,
    todos: state.todos,
    metadata: state.metadata,
    parent: state.parent,
    links: state.links,
  };
}

/** A timeline as the state has it, and where the rest of it is kept. */
export interface TimelineAtHand extends Timeline {
  kept?: Piece[];
}

/** What a person would read, in order, after that number. */
export function timelineOf(state: State, after = 0): TimelineAtHand {
  const items = state.entries.filter((entry) => isAfter(entry, after));
  const kept = state.kept?.filter(({ last }) => last > after) ?? [];
  return { items, ...(state.truncated ? { truncated: true } : {}), ...(kept.length > 0 ? { kept } : {}) };
}

export function questionsIn(entries: Entry[]): Question[] {
  return entries.flatMap((entry) => (entry.kind === 'question' ? [entry.question] : []));
}

/** What is new since that number, and what it has come to. */
export interface Changes extends TimelineAtHand {
  conversation: Conversation;
  last: number;
}

export function changesOf(state: State, after: number): Changes {
  return { conversation: conversationOf(state), last: state.lastEntry, ...timelineOf(state, after) };
}

/** Made, or as a question settled, after that number? */
export function isAfter(entry: Entry, after: number): boolean {
  return entry.id > after || (entry.kind === 'question' && (entry.settledId ?? 0) > after);
}

/** What is kept beside the run, readable with no worker; each part is written only when it changes. */
export interface Memo {
  /** The conversation at the top of those it works for, itself where it works for none. Runs of before 0.3 have none. */
  root?: string;
  conversation: Omit<Conversation, 'question'>;
  question: Question | null;
  settled: Question | null;
  verdicts: Verdict[];
  start: { digest: string | null; access: State['access'] };
  queuedBytes: number;
  /** Whose links were taken back, by question. */
  revoked?: State['revoked'];
  /** The number of the last entry as of all this; runs of before it was kept have none. */
  lastEntry?: number;
}

const RESULT_LENGTH = 2_000;
/** More would make the memo, which every list carries, too large. */
export const VERDICTS_SHOWN = 16;

export function memoOf(state: State): Memo {
  const { question, ...conversation } = conversationOf(state);
  return {
    root: state.root,
    conversation: { ...conversation, result: state.result && clip(state.result, RESULT_LENGTH) },
    question,
    settled: state.settled,
    verdicts: state.verdicts.slice(-VERDICTS_SHOWN),
    start: { digest: state.startDigest, access: state.access },
    queuedBytes: queuedBytes(state),
    ...(state.revoked ? { revoked: state.revoked } : {}),
    lastEntry: state.lastEntry,
  };
}

/** What the inbox and the lists are filtered by. Nothing private: search attributes are never encrypted. */
export interface Attributes {
  ParleyStatus: string;
  ParleyAgent: string;
  ParleyRoot: string;
  ParleyAudience: string[];
  ParleyExpiresAt: string | null;
}

export function attributesOf(state: State): Attributes {
  return {
    ParleyStatus: state.status,
    ParleyAgent: state.agent.name,
    ParleyRoot: state.root,
    ParleyAudience: audienceOf(state),
    ParleyExpiresAt: state.question?.expiresAt ?? null,
  };
}
