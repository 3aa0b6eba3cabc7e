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
 * Why a watch ends early. `unattended`: nobody may be prompted; `unanswered`: the prompt got no answer, and said so;
 * `inputDiscarded`: the rest of stdin may be meant for another question; `quit`: the person left; `interrupted`: a signal.
 */
export type WatchEndReason = 'unattended' | 'unanswered' | 'inputDiscarded' | 'quit' | 'interrupted';

/** Prompts for each open question once. */
export class AnswerSession {
  private readonly queue = new QuestionQueue();
  private readonly activePrompt: ActivePrompt;

  constructor(
    private readonly context: CommandContext,
    private readonly options: WatchOptions,
    private readonly renderer: WatchRenderer,
  ) {
    this.activePrompt = new ActivePrompt(context);
  }

  /** Called at once for every event, also during a prompt: a question resolved elsewhere closes it. */
  onEvent(event: WatchEvent): void {
    this.activePrompt.onEvent(event);
  }

  addQuestion(question: Question): void {
    this.queue.add(question);
  }

  resolveQuestion(question: Question): void {
    if (this.queue.resolve(question)) this.renderer.renderResolvedQuestion(question);
  }

  /** Checks the questions of sub-agents when one has finished, because the inbox may report them later. */
  async recheckSubagentQuestions(conversationId: string): Promise<void> {
    for (const question of this.queue.withState('new', 'later', 'queued', 'others'))
      if (question.conversationId !== conversationId) await this.isStillOpen(question);
  }

  /** The most urgent open question, if any. */
  get openQuestion(): Question | undefined {
    return this.queue.withState('new', 'later', 'others')[0];
  }

  get hasNewQuestion(): boolean {
    return this.queue.withState('new').length > 0;
  }

  get waitingStatus(): WaitingStatus | undefined {
    return describeWaiting(this.queue);
  }

  /** Prompts for the most urgent new question; if nobody may be prompted, prints it. */
  async handleNewQuestion(): Promise<WatchEndReason | undefined> {
    const [question, ...more] = this.queue.withState('new');
    // A replayed timeline contains questions that were resolved long ago.
    if (!question || !(await this.isStillOpen(question))) return undefined;
    if (this.options.isPrompting) return this.prompt(question, more.length);
    this.renderer.renderPendingQuestion(question);
    this.queue.setState(question, 'others');
    return this.options.isWaitingForOthers ? undefined : 'unattended';
  }

  /** Prompts again for the most urgent question that was postponed. */
  async promptPostponedQuestion(): Promise<WatchEndReason | undefined> {
    const [question, ...more] = this.queue.withState('later');
    return question && this.prompt(question, more.length);
  }

  /** True if it is unknown: the answer is rejected then. */
  private async isStillOpen(question: Question): Promise<boolean> {
    const resolved = await readResolvedQuestion(this.context.parley, question);
    if (resolved) this.resolveQuestion(resolved);
    return !resolved;
  }

  private async prompt(question: Question, otherCount: number): Promise<WatchEndReason | undefined> {
    const { style } = this.context.terminal;
    if (otherCount > 0)
      this.renderer.renderNote(
        style.dim(`${otherCount} more ${otherCount === 1 ? 'question waits' : 'questions wait'}.`),
      );
    this.renderer.suspend();
    const result = await this.activePrompt.ask(question);
    return result === 'quit' || result === 'interrupted' ? result : this.recordResult(question, result);
  }

  /** Updates the queue. The prompt has already printed the result. */
  private recordResult(
    question: Question,
    result: Exclude<ActivePromptResult, 'quit' | 'interrupted'>,
  ): WatchEndReason | undefined {
    this.renderer.resume();
    if (result === 'inputDiscarded') return 'inputDiscarded';
    if (result === 'accepted' || result === 'resolvedElsewhere') return void this.queue.resolve(question);
    if (result === 'queued') return void this.queue.setState(question, 'queued');
    const { isInteractive } = this.context.terminal;
    this.queue.setState(question, result === 'later' && isInteractive ? 'later' : 'others');
    return isInteractive || this.options.isWaitingForOthers ? undefined : 'unanswered';
  }
}

/** `inputDiscarded`: it was resolved or refused, and the rest of stdin may have been meant for it. */
type ActivePromptResult = PromptResult['kind'] | 'interrupted' | 'inputDiscarded';

/** The question that is on the screen, if any. */
class ActivePrompt {
  private current: { key: string; resolvedElsewhere: AbortController } | undefined;
  private interrupt: () => void = () => undefined;
  private readonly interrupted: Promise<'interrupted'>;

  constructor(private readonly context: CommandContext) {
    this.interrupted = new Promise((resolve) => {
      this.interrupt = () => resolve('interrupted');
    });
  }

  /** Closes the prompt at once when somebody else resolves the question. */
  onEvent(event: WatchEvent): void {
    const resolved = questionResolvedBy(event);
    if (resolved && toQuestionKey(resolved) === this.current?.key) this.current.resolvedElsewhere.abort(resolved);
    if (event.kind === 'quit') this.interrupt();
  }

  async ask(question: Question): Promise<ActivePromptResult> {
    const { terminal, settings } = this.context;
    const resolvedElsewhere = new AbortController();
    this.current = { key: toQuestionKey(question), resolvedElsewhere };
    try {
      const done = askQuestion(this.context, question, resolvedElsewhere.signal).then(toActivePromptResult);
      return await Promise.race([done, this.interrupted]);
    } catch (error) {
      // The person can try again.
      if (!(error instanceof ParleyError) || !terminal.isInteractive) throw error;
      terminal.printError(terminal.style.bad(formatErrorLine(toErrorReport(error, settings))));
      return 'later';
    } finally {
      this.current = undefined;
    }
  }
}

function toActivePromptResult({ kind, isInputDiscarded }: PromptResult): ActivePromptResult {
  return isInputDiscarded ? 'inputDiscarded' : kind;
}
