import type { CommandContext } from '#cli/context';
import { EXIT, type ExitCode, exitCodeForStatus } from '#cli/errors';
import { formatResumeHint } from '#cli/render/conversation';
import { renderMarkdownLines } from '#cli/render/markdown';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapIfInteractive } from '#cli/render/text';
import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { formatShortDuration } from '#presentation/format-time';
import { STATUS_LABELS } from '#presentation/labels';
import { AnswerSession, type WatchEndReason } from './answer-session';
import type { WatchEvent } from './events';
import type { WatchRenderer } from './renderer';
import type { WatchOptions } from './watch';

/** Handles events in order: renders them, and prompts for answers between them. */
export class ConversationWatcher {
  private readonly events = new AsyncQueue<WatchEvent>();
  private readonly session: AnswerSession;
  private hasSnapshot = false;
  private hasAssistantMessage = false;

  constructor(
    private readonly context: CommandContext,
    private readonly id: string,
    private readonly options: WatchOptions,
    private readonly renderer: WatchRenderer,
  ) {
    this.session = new AnswerSession(context, options, renderer);
    if (options.hasOutputAbove) this.renderer.markOutputAbove();
    if (options.initial) this.renderer.setPlan(options.initial);
    if (options.initial?.question) this.session.addQuestion(options.initial.question);
  }

  readonly deliver = (event: WatchEvent): void => {
    this.session.onEvent(event);
    this.events.push(event);
  };

  async run(): Promise<ExitCode> {
    for (;;) {
      const exit =
        this.events.isEmpty && this.session.hasNewQuestion
          ? await this.stopWatching(await this.session.handleNewQuestion())
          : await this.handle(await this.events.next());
      if (exit !== undefined) return exit;
      this.renderer.setWaitingStatus(this.session.waitingStatus);
    }
  }

  private async handle(watchEvent: WatchEvent): Promise<ExitCode | undefined> {
    switch (watchEvent.kind) {
      case 'event':
        if (isSubagentResult(watchEvent.event)) await this.session.recheckSubagentQuestions(this.id);
        return this.handleConversationEvent(watchEvent.event);
      case 'questionPending':
        return void this.session.addQuestion(watchEvent.question);
      case 'questionResolved':
        return void this.session.resolveQuestion(watchEvent.question);
      case 'connection':
        return void this.renderer.setConnectionLost(watchEvent.isLost);
      case 'answerRequested':
        return this.stopWatching(await this.session.promptPostponedQuestion());
      case 'quit':
        return this.stopWatching('interrupted');
      case 'failed':
        throw watchEvent.error;
    }
  }

  private handleConversationEvent(event: ConversationEvent): Promise<ExitCode> | undefined {
    this.renderer.renderEvent(event);
    switch (event.event) {
      case 'snapshot':
        return this.handleSnapshot(event.data);
      case 'message':
        this.hasAssistantMessage ||= event.data.role === 'assistant';
        return undefined;
      case 'question_pending':
        return void this.session.addQuestion(event.data);
      case 'question_answered':
        return void this.session.resolveQuestion(event.data);
      case 'done':
        return this.finish(event.data);
    }
  }

  private handleSnapshot({ question }: Conversation): undefined {
    if (this.hasSnapshot || this.options.after !== undefined)
      this.renderer.renderNote(this.context.terminal.style.dim('Some of what happened before is no longer kept.'));
    this.hasSnapshot = true;
    if (question) this.session.addQuestion(question);
  }

  /** Ends the watch, although the conversation is not over. */
  private async stopWatching(reason: WatchEndReason | undefined): Promise<ExitCode | undefined> {
    if (!reason) return undefined;
    const { context, id } = this;
    const question = this.session.openQuestion;
    this.renderer.stop();
    if (this.options.isEventStream) return exitCodeWhenLeft(question);
    if (!context.isJson) return this.printEndReason(reason, question);
    context.terminal.printJson(await context.parley.get(id));
    return exitCodeWhenLeft(question);
  }

  private printEndReason(reason: WatchEndReason, question: Question | undefined): ExitCode {
    const { context, id } = this;
    switch (reason) {
      case 'unattended':
        return printWaiting(context, question, id);
      case 'unanswered':
        return EXIT.waiting;
      case 'inputDiscarded':
        return printInputDiscarded(context, id);
      case 'quit':
        return printResumeCommand(context, id);
      case 'interrupted':
        return printLeft(context, question, id);
    }
  }

  private async finish(conversation: Conversation): Promise<ExitCode> {
    const { context, options } = this;
    this.renderer.stop();
    if (options.isEventStream) return exitCodeForStatus(conversation.status);
    if (context.isJson) {
      context.terminal.printJson(conversation);
      return exitCodeForStatus(conversation.status);
    }
    // The last message came before the watch began, so print the result here.
    if (!this.hasAssistantMessage && options.after === undefined && conversation.result)
      context.terminal.print(
        ...renderMarkdownLines(conversation.result, context.terminal.width(), context.terminal.style),
      );
    return printFinished(context, conversation);
  }
}

/** Whether a sub-agent has finished. */
function isSubagentResult(event: ConversationEvent): boolean {
  return event.event === 'tool' && event.data.name === 'delegate';
}

function exitCodeWhenLeft(question: Question | undefined): ExitCode {
  return question ? EXIT.waiting : EXIT.interrupted;
}

/** Prints how a conversation ended, and how to resume it. */
function printFinished({ terminal }: CommandContext, conversation: Conversation): ExitCode {
  const { status, error, createdAt, completedAt, usage } = conversation;
  const { style } = terminal;
  if (status === 'completed') {
    const durationMs = Date.parse(completedAt ?? createdAt) - Date.parse(createdAt);
    const tokens = (usage.inputTokens + usage.outputTokens).toLocaleString('en');
    if (terminal.isInteractive)
      terminal.print(
        '',
        `${style.good('✓')} ${style.dim(`Completed in ${formatShortDuration(durationMs)} · ${tokens} tokens`)}`,
      );
  } else {
    if (terminal.isInteractive) terminal.print('');
    const reason = error ? `: ${error.message}` : '.';
    terminal.printError(
      ...wrapIfInteractive(terminal, style.bad(sanitizeLine(`parley: ${STATUS_LABELS[status]}${reason}`))),
      ...wrapIfInteractive(terminal, formatResumeHint(conversation)),
    );
  }
  return exitCodeForStatus(status);
}

/** Prints that the conversation waits for an answer, and how to give it. */
function printWaiting({ terminal }: CommandContext, question: Question | undefined, id: string): ExitCode {
  terminal.printError(
    `It waits for an answer. Answer it with: parley answer ${sanitizeLine(question?.conversationId ?? id)}`,
  );
  return EXIT.waiting;
}

/** Prints that the rest of stdin is ignored: it was written for one question, and must not answer another. */
function printInputDiscarded({ terminal }: CommandContext, id: string): ExitCode {
  terminal.printError(
    `Nothing more is read: what comes next may have been meant for that question. Go on with: parley watch ${sanitizeLine(id)}`,
  );
  return EXIT.waiting;
}

/** Prints that the conversation continues without the person who left. */
function printLeft(context: CommandContext, question: Question | undefined, id: string): ExitCode {
  const { terminal } = context;
  const answer = `Answer it with: parley answer ${sanitizeLine(question?.conversationId ?? id)}`;
  const sentences = question ? ['It waits for an answer.', answer] : ['It goes on without you.'];
  if (terminal.isInteractive) terminal.print('');
  terminal.printError(...sentences.flatMap((line) => wrapIfInteractive(terminal, line)));
  printResumeCommand(context, id);
  return question ? EXIT.waiting : EXIT.interrupted;
}

/** Prints how to come back. The prompt already said that the question waits. */
function printResumeCommand({ terminal }: CommandContext, id: string): ExitCode {
  terminal.printError(
    ...wrapIfInteractive(terminal, terminal.style.dim(`Come back with: parley watch ${sanitizeLine(id)}`)),
  );
  return EXIT.waiting;
}

/** A queue with several writers and one reader. */
class AsyncQueue<Item> {
  private readonly items: Item[] = [];
  private wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  push(item: Item): void {
    this.items.push(item);
    this.wake?.();
  }

  async next(): Promise<Item> {
    while (this.isEmpty)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    return this.items.shift() as Item;
  }
}
