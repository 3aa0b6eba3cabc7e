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
  by?: string;
  via: string;
  digest?: string;
  receivedAt: number;
}

/** Signals sent by Temporal's own tools carry no id, no sender and no time of receipt: workflow time judges them. */
export function readSignal(raw: unknown, now: number): Signal {
  const sent = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  const text = (name: string) => (typeof sent[name] === 'string' ? sent[name] : undefined);
  const receivedAt =
    typeof sent.receivedAt === 'number' && Number.isFinite(sent.receivedAt) ? sent.receivedAt : now;
  return {
    id: text('id'),
    questionId: text('questionId'),
    answers: sent.answers,
    answer: sent.answer,
    comment: text('comment'),
    reason: text('reason'),
    text: text('text'),
    by: text('by'),
    via: text('via') ?? 'temporal',
    digest: text('digest'),
    receivedAt,
  };
}
