import type { CommandContext } from '#cli/context';
import { hasNoWorker, readResolvedQuestion } from '#cli/lookups';
import { sleepUnlessAborted } from '#client/backoff';
import type { ParleyClient } from '#client/parley';
import type { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import { describeOutcome, questionSummaryLine } from '#presentation/labels';
import { toQuestionKey } from '#presentation/question-list';
import { applyInboxEvent, EMPTY_INBOX, hideAnsweredQuestion, type InboxScope, type InboxState } from './state';

/** The inbox as it changes, while somebody looks at it or is at a question of it. */
export interface InboxUpdates {
  shelf: InboxState;
  /** What happened elsewhere, or is wrong with the line. */
  said: string | undefined;
  /** Called at every change. */
  onChange: () => void;
  /** Ends only where it cannot go on. */
  broken: Promise<never>;
  /** While somebody is at a question: aborted with the question as it stands once it is settled elsewhere. */
  during<T>(question: Question, work: (gone: AbortSignal) => Promise<T>): Promise<T>;
  /** It is settled from here, or its answer is on its way. */
  tell(question: Question, isKept: boolean): void;
  stop(): void;
}

/** A worker that stopped counts for minutes more: to look often tells nothing sooner. */
const WORKER_POLL_MS = 30_000;

export function openInboxUpdates(context: CommandContext, filter: InboxScope): InboxUpdates {
  const listener = new InboxSubscriber(context.parley, filter);
  listener.broken.catch(() => undefined);
  return listener;
}

class InboxSubscriber implements InboxUpdates {
  shelf: InboxState = EMPTY_INBOX;
  onChange: () => void = () => undefined;
  readonly broken: Promise<never>;
  private readonly stopped = new AbortController();
  private at: { question: Question; gone: AbortController } | undefined;
  private trouble: ParleyError | undefined;
  private elsewhere: string | undefined;

  constructor(
    readonly parley: ParleyClient,
    filter: InboxScope,
  ) {
    this.broken = this.run(filter);
    void this.lookForWorkers();
  }

  get said(): string | undefined {
    return this.trouble ? 'The connection is lost. Trying again …' : this.elsewhere;
  }

  async during<T>(question: Question, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
    const gone = new AbortController();
    this.at = { question, gone };
    try {
      return await work(gone.signal);
    } finally {
      this.at = undefined;
    }
  }

  tell(question: Question, isKept: boolean): void {
    this.elsewhere = undefined;
    this.shelf = isKept
      ? hideAnsweredQuestion(this.shelf, question)
      : applyInboxEvent(this.shelf, { event: 'question_answered', data: question });
  }

  stop(): void {
    this.stopped.abort();
  }

  private async run(filter: InboxScope): Promise<never> {
    const { signal } = this.stopped;
    const onTrouble = (trouble: ParleyError | undefined) => {
      this.trouble = trouble;
      this.onChange();
    };
    for await (const event of this.parley.inboxEvents({ ...filter, signal, onTrouble })) {
      this.shelf = applyInboxEvent(this.shelf, event);
      if (event.event === 'question_answered') this.settled(event.data);
      if (event.event === 'snapshot') void this.lookAgain(event.data.items);
      this.onChange();
    }
    // It ends by itself only when it is stopped.
    return new Promise<never>(() => undefined);
  }

  private async lookForWorkers(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      const isAlone = await hasNoWorker(this, signal);
      if (isAlone !== this.shelf.hasNoWorker) {
        this.shelf = { ...this.shelf, hasNoWorker: isAlone };
        this.onChange();
      }
      await sleepUnlessAborted(WORKER_POLL_MS, signal);
    }
  }

  private settled(question: Question): void {
    if (this.at && toQuestionKey(this.at.question) === toQuestionKey(question)) this.at.gone.abort(question);
    else this.elsewhere = `${describeOutcome(question)}: ${questionSummaryLine(question)}`;
  }

  /** The one that somebody is at may have been settled while the line was down. */
  private async lookAgain(items: readonly Question[]): Promise<void> {
    const { at } = this;
    if (!at || items.some((question) => toQuestionKey(question) === toQuestionKey(at.question))) return;
    const now = await readResolvedQuestion(this.parley, at.question);
    if (now) at.gone.abort(now);
  }
}
