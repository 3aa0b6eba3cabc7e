import type { Question, Value } from '#contract/question';

/** What a person did with a question that was put to them. */
export type Reply =
  | { kind: 'answer'; answers: Record<string, Value>; comment?: string }
  | { kind: 'decline'; reason?: string }
  /** Esc, or nothing more to read: it waits on. */
  | { kind: 'later' }
  /** Ctrl-C: out of here, and it waits on. */
  | { kind: 'left' }
  /** Somebody else was quicker: nothing was sent. */
  | { kind: 'gone'; question: Question };

/** What became of a question after it was put to a person. */
export interface Put {
  kind:
    | 'settled'
    /** Sent and durable; no worker has acted on it yet. */
    | 'kept'
    | 'gone'
    /** This key may not answer it, or not like this. */
    | 'refused'
    | 'later'
    | 'left';
  question: Question;
  /** Gone or refused on a pipe, where what comes next may have been meant for it: nothing more is to be read. */
  isInputSpoilt?: boolean;
}
