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

/** Takes what happens in its order, and has whoever is here asked what has to be asked. */
export class ConversationWatcher {
  private readonly mailbox = new AsyncQueue<WatchEvent>();
  private readonly attendant: AnswerSession;
  private hasSnapshot = false;
  private hasSpoken = false;

  constructor(
    private readonly context: CommandContext,
    private readonly id: string,
    private readonly following: WatchOptions,
    private readonly teller: WatchRenderer,
  ) {
    this.attendant = new AnswerSession(context, following, teller);
    if (following.isBelow) this.teller.below();
    if (following.known) this.teller.begin(following.known);
    if (following.known?.question) this.attendant.ask(following.known.question);
  }

  readonly deliver = (happening: WatchEvent): void => {
    this.attendant.hear(happening);
    this.mailbox.push(happening);
  };

  async run(): Promise<ExitCode> {
    for (;;) {
      const exit =
        this.mailbox.isEmpty && this.attendant.hasNew
          ? await this.part(await this.attendant.attendToNew())
          : await this.take(await this.mailbox.next());
      if (exit !== undefined) return exit;
      this.teller.waits(this.attendant.waits);
    }
  }

  private async take(happening: WatchEvent): Promise<ExitCode | undefined> {
    switch (happening.kind) {
      case 'event':
        if (isSubagentResult(happening.event)) await this.attendant.settleOthersThan(this.id);
        return this.takeEvent(happening.event);
      case 'asked':
        return void this.attendant.ask(happening.question);
      case 'settled':
        return void this.attendant.settle(happening.question);
      case 'line':
        return void this.teller.line(happening.isLost);
      case 'enter':
        return this.part(await this.attendant.attendToLater());
      case 'left':
        return this.part('interrupted');
      case 'failed':
        throw happening.error;
    }
  }

  private takeEvent(event: ConversationEvent): Promise<ExitCode> | undefined {
    this.teller.event(event);
    switch (event.event) {
      case 'snapshot':
        return this.takeSnapshot(event.data);
      case 'message':
        this.hasSpoken ||= event.data.role === 'assistant';
        return undefined;
      case 'question_pending':
        return void this.attendant.ask(event.data);
      case 'question_answered':
        return void this.attendant.settle(event.data);
      case 'done':
        return this.finish(event.data);
    }
  }

  private takeSnapshot({ question }: Conversation): undefined {
    if (this.hasSnapshot || this.following.after !== undefined)
      this.teller.say(this.context.terminal.style.dim('Some of what happened before is no longer kept.'));
    this.hasSnapshot = true;
    if (question) this.attendant.ask(question);
  }

  /** It is no longer followed, though it is not over. */
  private async part(parting: WatchEndReason | undefined): Promise<ExitCode | undefined> {
    if (!parting) return undefined;
    const { context, id } = this;
    const question = this.attendant.open;
    this.teller.stop();
    if (this.following.isEvents) return exitCodeWhenLeft(question);
    if (!context.isJson) return this.tellParting(parting, question);
    context.terminal.printJson(await context.parley.get(id));
    return exitCodeWhenLeft(question);
  }

  private tellParting(parting: WatchEndReason, question: Question | undefined): ExitCode {
    const { context, id } = this;
    switch (parting) {
      case 'nobody':
        return printWaiting(context, question, id);
      case 'unanswered':
        return EXIT.waiting;
      case 'spoilt':
        return printInputDiscarded(context, id);
      case 'left':
        return printResumeCommand(context, id);
      case 'interrupted':
        return printLeft(context, question, id);
    }
  }

  private async finish(conversation: Conversation): Promise<ExitCode> {
    const { context, following } = this;
    this.teller.stop();
    if (following.isEvents) return exitCodeForStatus(conversation.status);
    if (context.isJson) {
      context.terminal.printJson(conversation);
      return exitCodeForStatus(conversation.status);
    }
    // Whoever came after the last word has not heard it.
    if (!this.hasSpoken && following.after === undefined && conversation.result)
      context.terminal.print(
        ...renderMarkdownLines(conversation.result, context.terminal.width(), context.terminal.style),
      );
    return printFinished(context, conversation);
  }
}

/** A sub-agent is done. */
function isSubagentResult(event: ConversationEvent): boolean {
  return event.event === 'tool' && event.data.name === 'delegate';
}

function exitCodeWhenLeft(question: Question | undefined): ExitCode {
  return question ? EXIT.waiting : EXIT.interrupted;
}

/** It is over: what it has come to, and what one can do about it. */
function printFinished({ terminal }: CommandContext, conversation: Conversation): ExitCode {
  const { status, error, createdAt, completedAt, usage } = conversation;
  const { style } = terminal;
  if (status === 'completed') {
    const took = Date.parse(completedAt ?? createdAt) - Date.parse(createdAt);
    const tokens = (usage.inputTokens + usage.outputTokens).toLocaleString('en');
    if (terminal.isInteractive)
      terminal.print(
        '',
        `${style.good('✓')} ${style.dim(`Completed in ${formatShortDuration(took)} · ${tokens} tokens`)}`,
      );
  } else {
    if (terminal.isInteractive) terminal.print('');
    const why = error ? `: ${error.message}` : '.';
    terminal.complain(
      ...wrapIfInteractive(terminal, style.bad(sanitizeLine(`parley: ${STATUS_LABELS[status]}${why}`))),
      ...wrapIfInteractive(terminal, formatResumeHint(conversation)),
    );
  }
  return exitCodeForStatus(status);
}

/** It waits for somebody who is not here. */
function printWaiting({ terminal }: CommandContext, question: Question | undefined, id: string): ExitCode {
  terminal.complain(
    `It waits for an answer. Answer it with: parley answer ${sanitizeLine(question?.conversationId ?? id)}`,
  );
  return EXIT.waiting;
}

/** What a pipe holds was written for one question, and must not answer another. */
function printInputDiscarded({ terminal }: CommandContext, id: string): ExitCode {
  terminal.complain(
    `Nothing more is read: what comes next may have been meant for that question. Go on with: parley watch ${sanitizeLine(id)}`,
  );
  return EXIT.waiting;
}

/** Somebody has had enough: the conversation has not. */
function printLeft(context: CommandContext, question: Question | undefined, id: string): ExitCode {
  const { terminal } = context;
  const answer = `Answer it with: parley answer ${sanitizeLine(question?.conversationId ?? id)}`;
  const said = question ? ['It waits for an answer.', answer] : ['It goes on without you.'];
  if (terminal.isInteractive) terminal.print('');
  terminal.complain(...said.flatMap((line) => wrapIfInteractive(terminal, line)));
  printResumeCommand(context, id);
  return question ? EXIT.waiting : EXIT.interrupted;
}

/** That it waits was said where it was asked. */
function printResumeCommand({ terminal }: CommandContext, id: string): ExitCode {
  terminal.complain(
    ...wrapIfInteractive(terminal, terminal.style.dim(`Come back with: parley watch ${sanitizeLine(id)}`)),
  );
  return EXIT.waiting;
}

/** What several send and one reads, in the order it came. */
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
