import type { z } from 'zod';
import type { Conversation, ConversationStatus } from '#contract/conversation';
import type { Counts } from '#contract/operations/replies';
import type { DeclineBody, Question, Value } from '#contract/question';
import type { LinkBody, LinkQuery, StartBody } from '#contract/requests';
import type { ParleyError } from './parley-error';
import type { ReadOptions } from './request';

/** Durations as people write them: `{ question: { timeout: '4h' } }`. */
export type StartInput = z.input<typeof StartBody>;

/** Which question; `latest` unless told. Give the id of the one that was shown, lest the answer is to the next. */
interface OfQuestion {
  question?: string;
}

/** `{ answer: 'Red' }` to a question with one field, `{ answers: { q1: 'Red', q2: ['A', { other: 'B' }] } }` to any. */
export type AnswerInput = OfQuestion & { comment?: string } & (
    | { answer: Value; answers?: never }
    | { answers: Record<string, Value>; answer?: never }
  );

export type DeclineInput = OfQuestion & z.input<typeof DeclineBody>;

export type LinkInput = OfQuestion & z.input<typeof LinkBody>;

export type RevokeInput = OfQuestion & z.input<typeof LinkQuery>;

/** How it stands. A `question` still `pending` is kept, and acted on as soon as a worker is up. */
export interface Answered {
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
export interface Counting {
  counts?: boolean;
}

export interface ConversationPage extends Page<Conversation> {
  counts?: Counts;
}

export interface InboxFilter extends ReadOptions {
  agent?: string;
  conversation?: string;
}

export interface StreamOptions extends ReadOptions {
  /** Told when the line is lost, while it is being mended, and with nothing when it is back. */
  onTrouble?: (trouble: ParleyError | undefined) => void;
}

/** At most `limit` items, 1 to 100, from the `nextCursor` of the page before. */
export interface Paging {
  limit?: number;
  cursor?: string;
}

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
  /** How many were left out, as they were encrypted with a key that Parley does not have now. */
  unreadable?: number;
}
