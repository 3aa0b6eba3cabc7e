import { isTooDeeplyNested, toWellFormed } from '#core/json';

/** A message from outside, read so that nothing anybody may send can throw: a throw would jam the run for ever. */
export interface InboundSignal {
  /** Absent where Temporal's own tools sent it: then a repeat cannot be told from a second message. */
  id?: string;
  questionId?: string;
  answers?: unknown;
  answer?: unknown;
  comment?: string;
  reason?: string;
  text?: string;
  /** Whose link is taken back; nobody's in particular: everybody's. */
  person?: string;
  /** False for a message of somebody who may not answer: it waits until the question is settled. */
  mayAnswer: boolean;
  by?: string;
  via: string;
  digest?: string;
  receivedAt: number;
}

const MAX_NAME_LENGTH = 255;
const MAX_REASON_LENGTH = 4_000;

/** Signals sent by Temporal's own tools carry no id, no sender and no time of receipt: workflow time judges them. */
export function parseSignal(raw: unknown, now: number): InboundSignal {
  const isReadable = typeof raw === 'object' && raw !== null && !isTooDeeplyNested(raw);
  const payload = isReadable ? (raw as Record<string, unknown>) : {};
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : undefined);
  const name = (key: string) => text(key)?.slice(0, MAX_NAME_LENGTH);
  const receivedAt =
    typeof payload.receivedAt === 'number' && Number.isFinite(payload.receivedAt) ? payload.receivedAt : now;
  return {
    id: name('id'),
    // One that is no text names no question; it must not pass for the open one.
    questionId: payload.questionId === undefined ? undefined : (name('questionId') ?? ''),
    answers: payload.answers,
    answer: payload.answer,
    comment: text('comment'),
    reason: text('reason')?.slice(0, MAX_REASON_LENGTH),
    text: payload.text === undefined ? undefined : toWellFormed(text('text') ?? ''),
    person: name('person'),
    mayAnswer: payload.mayAnswer !== false,
    by: name('by'),
    via: name('via') ?? 'temporal',
    digest: name('digest'),
    receivedAt,
  };
}
