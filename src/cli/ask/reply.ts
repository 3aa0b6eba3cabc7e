import type { Question, Value } from '../../contract/question';

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
export type Put =
  | { kind: 'settled'; question: Question }
  /** Sent and durable; no worker has acted on it yet. */
  | { kind: 'kept'; question: Question }
  | { kind: 'gone'; question: Question }
  /** This key may not answer it. */
  | { kind: 'refused'; question: Question }
  | { kind: 'later'; question: Question }
  | { kind: 'left'; question: Question };
