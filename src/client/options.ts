import type { z } from 'zod';
import type { Conversation, ConversationStatus } from '#contract/conversation';
import type { AnswerValue } from '#contract/question';
import type { AnswerLinkBody, ClientChannel, DeclineBody, RevokeLinksQuery, StartBody } from '#contract/requests';
import type { AnswerResponse, StatusCounts } from '#contract/responses';
import type { ParleyError } from './parley-error';
import type { ReadOptions } from './request';

const DEFAULT_TIMING = {
  /** Delay before the first retry or reconnect; doubles with each further one. */
  firstWaitMs: 500,
  /** Maximum delay, even if the server asks for more. */
  longestWaitMs: 30_000,
  /** A stream that is silent for this long counts as dead, because the server sends a comment every 15 s. */
  silenceMs: 45_000,
};

/** Delays and timeouts, in milliseconds. */
export type ClientTiming = typeof DEFAULT_TIMING;

export interface ClientOptions {
  /** The base URL of Parley; '' for the origin of the page. */
  url: string;
  /** An API key; not needed on loopback without keys, nor in a browser that has the cookie. */
  key?: string;
  /** The kind of caller, recorded with each write as `outcome.via`. */
  channel?: ClientChannel;
  fetch?: typeof fetch;
  /** Number of retries per call; 2 by default. */
  retries?: number;
  timing?: Partial<ClientTiming>;
}

export function resolveClientOptions(options: ClientOptions) {
  const { url, key, channel, retries = 2, timing } = options;
  return {
    url: url.replace(/\/+$/, ''),
    key,
    channel,
    retries,
    timing: { ...DEFAULT_TIMING, ...timing },
    // Wrapped, because a browser's fetch throws if it is called as a method of another object.
    fetch: options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request)),
  };
}

export type ClientSettings = ReturnType<typeof resolveClientOptions>;

/** Durations are strings: `{ question: { timeout: '4h' } }`. */
export type StartInput = z.input<typeof StartBody>;

/** Selects a question; `latest` by default. With the id of the one shown, the answer cannot go to the next. */
interface QuestionSelector {
  question?: string;
}

/** `{ answer: 'Red' }` for one field; `{ answers: { q1: 'Red', q2: ['A', { other: 'B' }] } }` for any question. */
export type AnswerInput = QuestionSelector & { comment?: string } & (
    | { answer: AnswerValue; answers?: never }
    | { answers: Record<string, AnswerValue>; answer?: never }
  );

export type DeclineInput = QuestionSelector & z.input<typeof DeclineBody>;

export type CreateLinkInput = QuestionSelector & z.input<typeof AnswerLinkBody>;

export type RevokeLinksInput = QuestionSelector & z.input<typeof RevokeLinksQuery>;

/** The state after submission. If `question` is still `pending`, the answer is queued until a worker is running. */
export type SubmittedAnswer = AnswerResponse;

export interface ConversationFilter extends ReadOptions {
  status?: ConversationStatus;
  agent?: string;
  /** Words that must all occur in the id, title, agent or result. A page may be empty although `nextCursor` is set. */
  search?: string;
}

/** `counts`: also return the number of conversations in each status. */
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
  /** Called with the error when the connection is lost, before the retry, and with undefined when it is restored. */
  onConnectionChange?: (error: ParleyError | undefined) => void;
}

/** Returns at most `limit` items (1 to 100), starting at the previous page's `nextCursor`. */
export interface PageOptions {
  limit?: number;
  cursor?: string;
}

export interface ResultPage<Item> {
  items: Item[];
  nextCursor: string | null;
  /** Number of items left out because Parley lacks their encryption key. */
  unreadable?: number;
}
