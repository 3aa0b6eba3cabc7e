import type { Question } from '../../contract/question';
import type { Context } from '../context';
import type { Put } from './reply';

/** Whoever listens tells it here when somebody else settles the question: the signal's reason is the question as it stands. */
export type Gone = AbortSignal;

export interface Putting {
  gone: Gone;
  /** It came up by itself: a key that was on its way to something else must not answer it. */
  isSudden: boolean;
}

/** Puts a question to whoever is at the terminal, by keys or line by line, until it is settled or left; says what came of it. */
export async function put(_context: Context, question: Question, _putting: Putting): Promise<Put> {
  return { kind: 'later', question };
}
