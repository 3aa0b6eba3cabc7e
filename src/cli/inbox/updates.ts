import type { CommandContext } from '#cli/context';
import { hasNoWorker, readResolvedQuestion } from '#cli/lookups';
import type { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import { describeOutcome, questionSummaryLine } from '#presentation/labels';
import { toQuestionKey } from '#presentation/question-list';
import { applyInboxEvent, EMPTY_INBOX, hideAnsweredQuestion, type InboxScope, type InboxState } from './state';

/** The live inbox while the user browses it or answers one of its questions. */
export class InboxUpdates {
  state: InboxState = EMPTY_INBOX;
  /** Called on every change. */
  onChange: () => void = () => undefined;
  /** Rejects when the stream fails permanently. */
  readonly failure: Promise<never>;
  private readonly stopped = new AbortController();
  private current: { question: Question; resolvedElsewhere: AbortController } | undefined;
  private connectionError: ParleyError | undefined;
  private resolvedElsewhereNotice: string | undefined;

  constructor(
    private readonly context: CommandContext,
    filter: InboxScope,
  ) {
    this.failure = this.subscribe(filter);
    this.failure.catch(() => undefined);
  }

  /** A notice about a question resolved elsewhere, or about the connection. */
  get notice(): string | undefined {
    return this.connectionError ? 'Connection lost. Reconnecting…' : this.resolvedElsewhereNotice;
  }

  /**
   * Runs `work` for a question. Aborts its signal, with the resolved question as reason, if it is resolved elsewhere.
   */
  async whileAnswering<T>(question: Question, work: (resolvedElsewhere: AbortSignal) => Promise<T>): Promise<T> {
    const resolvedElsewhere = new AbortController();
    this.current = { question, resolvedElsewhere };
    try {
      return await work(resolvedElsewhere.signal);
    } finally {
      this.current = undefined;
    }
  }

  /** Removes a question that was resolved here, or hides it while its answer is queued. */
  markResolved(question: Question, isQueued: boolean): void {
    this.resolvedElsewhereNotice = undefined;
    this.state = isQueued
      ? hideAnsweredQuestion(this.state, question)
      : applyInboxEvent(this.state, { event: 'question_answered', data: question });
  }

  stop(): void {
    this.stopped.abort();
  }

  private async subscribe(filter: InboxScope): Promise<never> {
    const { signal } = this.stopped;
    const onConnectionChange = (error: ParleyError | undefined) => {
      this.connectionError = error;
      this.onChange();
    };
    for await (const event of this.context.parley.inboxEvents({ ...filter, signal, onConnectionChange })) {
      this.state = applyInboxEvent(this.state, event);
      if (event.event === 'question_answered') this.onQuestionResolved(event.data);
      if (event.event === 'snapshot') void this.recheckCurrent(event.data.items);
      this.onChange();
    }
    // The stream ends only after stop().
    return new Promise<never>(() => undefined);
  }

  /** Finds out whether a worker is running. */
  async checkWorkers(): Promise<void> {
    if (!(await hasNoWorker(this.context, this.stopped.signal))) return;
    this.state = { ...this.state, hasNoWorker: true };
    this.onChange();
  }

  private onQuestionResolved(question: Question): void {
    if (this.current && toQuestionKey(this.current.question) === toQuestionKey(question))
      this.current.resolvedElsewhere.abort(question);
    else this.resolvedElsewhereNotice = `${describeOutcome(question)}: ${questionSummaryLine(question)}`;
  }

  /** Checks the question being answered, which may have been resolved while the connection was lost. */
  private async recheckCurrent(items: readonly Question[]): Promise<void> {
    const { current } = this;
    if (!current || items.some((question) => toQuestionKey(question) === toQuestionKey(current.question))) return;
    const resolved = await readResolvedQuestion(this.context.parley, current.question);
    if (resolved) current.resolvedElsewhere.abort(resolved);
  }
}
