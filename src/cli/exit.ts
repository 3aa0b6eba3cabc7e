import { ParleyError } from '#client/parley-error';
import type { ConversationStatus } from '#contract/conversation';
import type { Fault } from '#contract/question';

/** What a script can tell from the end of a command. */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  notFound: 4,
  refused: 5,
  interrupted: 130,
} as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Of a conversation that is over. */
export function exitOfEnd(status: ConversationStatus): Exit {
  return status === 'completed' ? EXIT.completed : EXIT.failed;
}

/** The end of a command before its time: what happened, and what to do next. */
export class Ending extends Error {
  constructor(
    readonly exit: Exit,
    message: string,
    readonly code: string = 'usage',
    /** Each fault by itself, for programs. */
    readonly errors?: readonly Fault[],
  ) {
    super(message);
  }
}

export function misuse(message: string): Ending {
  return new Ending(EXIT.usage, message);
}

/** What the server did not want, and what it could not do, are different things to a script. */
export function exitOf(error: unknown): Exit {
  if (error instanceof Ending) return error.exit;
  if (!(error instanceof ParleyError)) return EXIT.failed;
  const { code, status = 0 } = error;
  if (code === 'unauthenticated') return EXIT.refused;
  // Whatever answered, it was not Parley, or not where it is.
  if (code === 'unexpected_response' || code === 'not_found') return EXIT.failed;
  if (code === 'unknown_agent' || status === 404) return EXIT.notFound;
  return status >= 400 && status < 500 && status !== 429 ? EXIT.refused : EXIT.failed;
}
