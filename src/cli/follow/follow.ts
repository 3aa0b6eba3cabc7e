import type { Context } from '../context';
import { EXIT, type Exit } from '../exit';

export interface Following {
  /** What is known already is not told again: the number of the last entry that was shown. */
  after?: number;
  /** Questions are put to whoever is here; otherwise a question ends it. */
  isAsking: boolean;
  /** Goes on while somebody else answers. */
  isWaiting: boolean;
}

/** Tells what happens in a conversation as it happens, until it is over, waits for somebody who is not here, or is left. */
export async function follow(_context: Context, _id: string, _following: Following): Promise<Exit> {
  return EXIT.completed;
}
