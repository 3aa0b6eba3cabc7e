import { put } from '#cli/ask/put';
import type { Put } from '#cli/ask/reply';
import type { Context } from '#cli/context';
import { lineOf, troubleOf } from '#cli/trouble';
import { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import { keyOf } from '#core/question-key';
import { type Happening, settledBy } from './happening';

/** `spoilt`: it is gone or refused, and what a pipe still holds may have been meant for it. */
export type Came = Put['kind'] | 'interrupted' | 'spoilt';

/** The question that is before somebody's eyes, if any. */
export class Putting {
  private current: { key: string; gone: AbortController } | undefined;
  private interrupt: () => void = () => undefined;
  private readonly interrupted: Promise<'interrupted'>;

  constructor(private readonly context: Context) {
    this.interrupted = new Promise((resolve) => {
      this.interrupt = () => resolve('interrupted');
    });
  }

  /** It gives way at once when somebody else settles it. */
  hear(happening: Happening): void {
    const settled = settledBy(happening);
    if (settled && keyOf(settled) === this.current?.key) this.current.gone.abort(settled);
    if (happening.kind === 'left') this.interrupt();
  }

  async put(question: Question): Promise<Came> {
    const { terminal, settings } = this.context;
    const gone = new AbortController();
    this.current = { key: keyOf(question), gone };
    try {
      const done = put(this.context, question, gone.signal).then(cameOf);
      return await Promise.race([done, this.interrupted]);
    } catch (error) {
      // Whoever sits here can try again.
      if (!(error instanceof ParleyError) || !terminal.isInteractive) throw error;
      terminal.complain(terminal.style.bad(lineOf(troubleOf(error, settings))));
      return 'later';
    } finally {
      this.current = undefined;
    }
  }
}

function cameOf({ kind, isInputSpoilt }: Put): Came {
  return isInputSpoilt ? 'spoilt' : kind;
}
