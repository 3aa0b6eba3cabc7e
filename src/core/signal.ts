import { isTooDeep, wellFormed } from './json';

/** A message from outside, read so that nothing anybody may send can throw: a throw would jam the run for ever. */
export interface Signal {
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

const NAME_LENGTH = 255;
const REASON_LENGTH = 4_000;

/** Signals sent by Temporal's own tools carry no id, no sender and no time of receipt: workflow time judges them. */
export function readSignal(raw: unknown, now: number): Signal {
  const isReadable = typeof raw === 'object' && raw !== null && !isTooDeep(raw);
  const sent = isReadable ? (raw as Record<string, unknown>) : {};
  const text = (name: string) => (typeof sent[name] === 'string' ? sent[name] : undefined);
  const name = (of: string) => text(of)?.slice(0, NAME_LENGTH);
  const receivedAt =
    typeof sent.receivedAt === 'number' && Number.isFinite(sent.receivedAt) ? sent.receivedAt : now;
  return {
    id: name('id'),
    // One that is no text names no question; it must not pass for the open one.
    questionId: sent.questionId === undefined ? undefined : (name('questionId') ?? ''),
    answers: sent.answers,
    answer: sent.answer,
    comment: text('comment'),
    reason: text('reason')?.slice(0, REASON_LENGTH),
    text: sent.text === undefined ? undefined : wellFormed(text('text') ?? ''),
    person: name('person'),
    mayAnswer: sent.mayAnswer !== false,
    by: name('by'),
    via: name('via') ?? 'temporal',
    digest: name('digest'),
    receivedAt,
  };
}
