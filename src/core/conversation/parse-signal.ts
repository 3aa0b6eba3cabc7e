import { isTooDeeplyNested, toWellFormed } from '#core/json';

/** A parsed signal. Parsing never throws: an exception in a signal handler would block the run forever. */
export interface InboundSignal {
  /** Missing if the signal came from Temporal's own tools; then a duplicate cannot be detected. */
  id?: string;
  questionId?: string;
  answers?: unknown;
  answer?: unknown;
  comment?: string;
  reason?: string;
  text?: string;
  /** Whose link is revoked; all links if missing. */
  person?: string;
  /** False if the sender may not answer: the message then waits until the question is resolved. */
  mayAnswer: boolean;
  by?: string;
  via: string;
  digest?: string;
  receivedAt: number;
}

/** Who acted, and how, for the timeline. */
export type Actor = Pick<InboundSignal, 'by'> & { via?: string };

export const actorOf = ({ by, via }: Actor): Actor => ({
  ...(by === undefined ? {} : { by }),
  ...(via === undefined ? {} : { via }),
});

const MAX_NAME_LENGTH = 255;
const MAX_REASON_LENGTH = 4_000;

/** Signals from Temporal's own tools carry no id, sender or time of receipt; workflow time is used instead. */
export function parseSignal(raw: unknown, now: number): InboundSignal {
  const isReadable = typeof raw === 'object' && raw !== null && !isTooDeeplyNested(raw);
  const payload = isReadable ? (raw as Record<string, unknown>) : {};
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : undefined);
  const name = (key: string) => text(key)?.slice(0, MAX_NAME_LENGTH);
  const receivedAt =
    typeof payload.receivedAt === 'number' && Number.isFinite(payload.receivedAt) ? payload.receivedAt : now;
  return {
    id: name('id'),
    // An id that is not text matches no question; it must not match the open one.
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
