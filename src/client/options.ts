import type { z } from 'zod';
import type { Conversation, ConversationStatus } from '#contract/conversation';
import type { AnswerValue, Question } from '#contract/question';
import type { AnswerLinkBody, ClientChannel, DeclineBody, RevokeLinksQuery, StartBody } from '#contract/requests';
import type { StatusCounts } from '#contract/responses';
import type { ParleyError } from './parley-error';
import type { ReadOptions } from './request';

/** How long to wait, in milliseconds. */
export interface ClientTiming {
  /** Before the first retry or reconnect; each one after it waits twice as long. */
  firstWaitMs: number;
  /** The longest wait, whatever the server asks for. */
  longestWaitMs: number;
  /** A stream that says nothing for this long is dead: the server sends a comment every 15 s. */
  silenceMs: number;
}

export interface ClientOptions {
  /** Where Parley is; '' is where the page came from. */
  url: string;
  /** An API key; not needed on loopback without keys, nor in a browser that has the cookie. */
  key?: string;
  /** What the caller is: recorded with what it sends, as `outcome.via`. */
  channel?: ClientChannel;
  fetch?: typeof fetch;
  /** How often a call is tried again; 2 unless told. */
  retries?: number;
  timing?: Partial<ClientTiming>;
}

export interface ClientSettings extends Required<Omit<ClientOptions, 'key' | 'channel' | 'timing'>> {
  key: string | undefined;
  channel: ClientChannel | undefined;
  timing: ClientTiming;
}

const DEFAULT_TIMING: ClientTiming = { firstWaitMs: 500, longestWaitMs: 30_000, silenceMs: 45_000 };

export function resolveClientOptions({
  url,
  key,
  channel,
  retries = 2,
  timing,
  ...options
}: ClientOptions): ClientSettings {
  return {
    url: url.replace(/\/+$/, ''),
    key,
    channel,
    retries,
    timing: { ...DEFAULT_TIMING, ...timing },
    // Called by itself: a browser's fetch refuses to be called as a method of something else.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}

/** Durations as people write them: `{ question: { timeout: '4h' } }`. */
export type StartInput = z.input<typeof StartBody>;

/** Which question; `latest` unless told. Give the id of the one that was shown, lest the answer is to the next. */
interface QuestionSelector {
  question?: string;
}

/** `{ answer: 'Red' }` to a question with one field, `{ answers: { q1: 'Red', q2: ['A', { other: 'B' }] } }` to any. */
export type AnswerInput = QuestionSelector & { comment?: string } & (
    | { answer: AnswerValue; answers?: never }
    | { answers: Record<string, AnswerValue>; answer?: never }
  );

export type DeclineInput = QuestionSelector & z.input<typeof DeclineBody>;

export type CreateLinkInput = QuestionSelector & z.input<typeof AnswerLinkBody>;

export type RevokeLinksInput = QuestionSelector & z.input<typeof RevokeLinksQuery>;

/** How it stands. A `question` still `pending` is kept, and acted on as soon as a worker is up. */
export interface SubmittedAnswer {
  question: Question;
  conversation: Pick<Conversation, 'id' | 'status'>;
}

export interface ConversationFilter extends ReadOptions {
  status?: ConversationStatus;
  agent?: string;
  /** Words that all have to be in its id, title, agent or result. A page may be empty although `nextCursor` leads on. */
  search?: string;
}

/** `counts`: say how many there are in each status, too. */
export interface CountOptions {
  counts?: boolean;
}

export interface ListedConversations extends ResultPage<Conversation> {
  counts?: StatusCounts;
}

export interface InboxFilter extends ReadOptions {
  agent?: string;
  conversation?: string;
}

export interface EventStreamOptions extends ReadOptions {
  /** Called with the error when the connection is lost, before it is retried, and with undefined when it is back. */
  onConnectionChange?: (error: ParleyError | undefined) => void;
}

/** At most `limit` items, 1 to 100, from the `nextCursor` of the page before. */
export interface PageOptions {
  limit?: number;
  cursor?: string;
}

export interface ResultPage<Item> {
  items: Item[];
  nextCursor: string | null;
  /** How many were left out, as they were encrypted with a key that Parley does not have now. */
  unreadable?: number;
}
