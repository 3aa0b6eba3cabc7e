import type { CommandContext } from '#cli/context';
import { formatErrorLine, toErrorReport } from '#cli/errors';
import { readResolvedQuestion } from '#cli/lookups';
import { askQuestion, type PromptResult } from '#cli/prompt/ask-question';
import { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import { toQuestionKey } from '#presentation/question-list';
import { questionResolvedBy, type WatchEvent } from './events';
import { describeWaiting, QuestionQueue, type WaitingStatus } from './question-queue';
import type { WatchRenderer } from './renderer';
import type { WatchOptions } from './watch';

/**
 * Nobody is here to answer; nobody is left here, as was said already; what is written here may be meant for what is gone;
 * somebody has left it; or the process was told to.
 */
export type WatchEndReason = 'nobody' | 'unanswered' | 'spoilt' | 'left' | 'interrupted';

/** Sees to the questions: each is put once to whoever is here, while it is open. */
export class AnswerSession {
  private readonly agenda = new QuestionQueue();
  private readonly putting: ActivePrompt;

  constructor(
    private readonly context: CommandContext,
    private readonly following: WatchOptions,
    private readonly teller: WatchRenderer,
  ) {
    this.putting = new ActivePrompt(context);
  }

  /** Also while a question is on the screen: it has to give way at once. */
  hear(happening: WatchEvent): void {
    this.putting.hear(happening);
  }

  ask(question: Question): void {
    this.agenda.ask(question);
  }

  settle(question: Question): void {
    if (this.agenda.settle(question)) this.teller.settled(question);
  }

  /** Whoever worked for that conversation is done, and the inbox has not told yet what became of their questions. */
  async settleOthersThan(conversationId: string): Promise<void> {
    for (const question of this.agenda.those('new', 'later', 'kept', 'others'))
      if (question.conversationId !== conversationId) await this.isStillOpen(question);
  }

  /** The most urgent that somebody waits for, if any. */
  get open(): Question | undefined {
    return this.agenda.those('new', 'later', 'others')[0];
  }

  get hasNew(): boolean {
    return this.agenda.those('new').length > 0;
  }

  get waits(): WaitingStatus | undefined {
    return describeWaiting(this.agenda);
  }

  /** Puts the most urgent to whoever is here; says that it waits, where nobody is. */
  async attendToNew(): Promise<WatchEndReason | undefined> {
    const [question, ...more] = this.agenda.those('new');
    // What is told from its beginning has questions in it that were settled long ago.
    if (!question || !(await this.isStillOpen(question))) return undefined;
    if (this.following.isAsking) return this.put(question, more.length);
    this.teller.asked(question);
    this.agenda.mark(question, 'others');
    return this.following.isWaiting ? undefined : 'nobody';
  }

  /** Somebody has time now for what was left for later. */
  async attendToLater(): Promise<WatchEndReason | undefined> {
    const [question, ...more] = this.agenda.those('later');
    return question && this.put(question, more.length);
  }

  /** True where it cannot be known: whoever answers is told. */
  private async isStillOpen(question: Question): Promise<boolean> {
    const now = await readResolvedQuestion(this.context.parley, question);
    if (now) this.settle(now);
    return !now;
  }

  private async put(question: Question, more: number): Promise<WatchEndReason | undefined> {
    const { style } = this.context.terminal;
    if (more > 0) this.teller.say(style.dim(`${more} more ${more === 1 ? 'question waits' : 'questions wait'}.`));
    this.teller.suspend();
    const came = await this.putting.put(question);
    return came === 'left' || came === 'interrupted' ? came : this.note(question, came);
  }

  /** What came of it was said where it was put. */
  private note(
    question: Question,
    came: Exclude<ActivePromptResult, 'left' | 'interrupted'>,
  ): WatchEndReason | undefined {
    this.teller.resume();
    if (came === 'spoilt') return 'spoilt';
    if (came === 'settled' || came === 'gone') return void this.agenda.settle(question);
    if (came === 'kept') return void this.agenda.mark(question, 'kept');
    const { isInteractive } = this.context.terminal;
    this.agenda.mark(question, came === 'later' && isInteractive ? 'later' : 'others');
    return isInteractive || this.following.isWaiting ? undefined : 'unanswered';
  }
}

/** `spoilt`: it is gone or refused, and what a pipe still holds may have been meant for it. */
type ActivePromptResult = PromptResult['kind'] | 'interrupted' | 'spoilt';

/** The question that is before somebody's eyes, if any. */
class ActivePrompt {
  private current: { key: string; gone: AbortController } | undefined;
  private interrupt: () => void = () => undefined;
  private readonly interrupted: Promise<'interrupted'>;

  constructor(private readonly context: CommandContext) {
    this.interrupted = new Promise((resolve) => {
      this.interrupt = () => resolve('interrupted');
    });
  }

  /** It gives way at once when somebody else settles it. */
  hear(happening: WatchEvent): void {
    const settled = questionResolvedBy(happening);
    if (settled && toQuestionKey(settled) === this.current?.key) this.current.gone.abort(settled);
    if (happening.kind === 'left') this.interrupt();
  }

  async put(question: Question): Promise<ActivePromptResult> {
    const { terminal, settings } = this.context;
    const gone = new AbortController();
    this.current = { key: toQuestionKey(question), gone };
    try {
      const done = askQuestion(this.context, question, gone.signal).then(toActivePromptResult);
      return await Promise.race([done, this.interrupted]);
    } catch (error) {
      // Whoever sits here can try again.
      if (!(error instanceof ParleyError) || !terminal.isInteractive) throw error;
      terminal.complain(terminal.style.bad(formatErrorLine(toErrorReport(error, settings))));
      return 'later';
    } finally {
      this.current = undefined;
    }
  }
}

function toActivePromptResult({ kind, isInputSpoilt }: PromptResult): ActivePromptResult {
  return isInputSpoilt ? 'spoilt' : kind;
}
