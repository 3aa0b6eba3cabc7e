import {
  renderPlanChanges,
  renderQuestion,
  renderQuestionOutcome,
  renderTimelineEntry,
} from '#cli/render/conversation';
import { renderMarkdownLines } from '#cli/render/markdown';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import type { Terminal } from '#cli/tty/terminal';
import type { Todo } from '#contract/conversation';
import type { ConversationEvent, InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { escapeInvisible } from '#presentation/confirmation';
import { formatOrigin, questionSummaryLine } from '#presentation/labels';

/**
 * Renders the events of a conversation. This base class prints nothing, for programs that read one document at the end.
 */
export class WatchRenderer {
  /** Sets the known plan, so that only changes to it are printed. */
  setPlan(_todos: readonly Todo[]): void {}
  /** Called for every event of the conversation, in order. */
  renderEvent(_event: ConversationEvent): void {}
  /** Shows a question without prompting for it. */
  renderPendingQuestion(_question: Question): void {}
  /** Shows a question that was not answered here. */
  renderResolvedQuestion(_question: Question): void {}
  renderNote(_line: string): void {}
  /** Shows what the conversation waits for, and the keys that work. */
  setWaitingStatus(_status: readonly string[] | undefined): void {}
  setConnectionLost(_isLost: boolean): void {}
  /** Leaves the screen and keyboard to a prompt. */
  suspend(): void {}
  resume(): void {}
  stop(): void {}
}

/** Called for the keys that work during a watch. */
export interface WatchKeys {
  onQuit(): void;
  /** The user wants to answer a postponed question. */
  onAnswer(): void;
}

/** For programs: prints each event as a line of JSON, including the questions of sub-agents. */
export class JsonWatchRenderer extends WatchRenderer {
  constructor(
    private readonly terminal: Terminal,
    private readonly id: string,
  ) {
    super();
  }

  override renderEvent(event: ConversationEvent | InboxEvent): void {
    this.terminal.print(escapeInvisible(JSON.stringify(event)));
  }

  override renderPendingQuestion(question: Question): void {
    if (question.conversationId !== this.id) this.renderEvent({ event: 'question_pending', data: question });
  }

  override renderResolvedQuestion(question: Question): void {
    if (question.conversationId !== this.id) this.renderEvent({ event: 'question_answered', data: question });
  }
}

/**
 * For a pipe, a file or a dumb terminal: prints finished text from top to bottom, with a blank line between different
 * kinds of output.
 */
export class PlainWatchRenderer extends WatchRenderer {
  /** The kind of the last output; `closed` if a blank line must follow it in any case. */
  private lastKind: string | undefined;
  protected todos: readonly Todo[] = [];

  constructor(
    protected readonly terminal: Terminal,
    hasOutputAbove: boolean,
  ) {
    super();
    this.lastKind = hasOutputAbove ? 'closed' : undefined;
  }

  override setPlan(todos: readonly Todo[]): void {
    this.todos = todos;
  }

  override renderEvent(event: ConversationEvent): void {
    const { style } = this.terminal;
    switch (event.event) {
      case 'message':
        if (event.data.role === 'assistant') this.printMessage(event.data.text);
        else this.printBlock('user', renderTimelineEntry(event.data, this.width(), style));
        return this.endBlock();
      case 'tool':
        return this.printBlock('tool', renderTimelineEntry(event.data, this.width(), style));
      case 'todos':
        this.printBlock('plan', renderPlanChanges(this.todos, event.data.todos, this.width(), style));
        return this.setPlan(event.data.todos);
      case 'snapshot':
        return this.setPlan(event.data.todos);
    }
  }

  override renderPendingQuestion(question: Question): void {
    this.endBlock();
    this.printBlock('question', renderQuestion(question, this.width(), this.terminal.style));
  }

  override renderResolvedQuestion(question: Question): void {
    const { style } = this.terminal;
    const width = this.width();
    const origin = question.origin.length > 1 ? style.dim(`${sanitizeLine(formatOrigin(question.origin))}: `) : '';
    const summary = origin + sanitizeLine(questionSummaryLine(question));
    this.endBlock();
    this.printBlock('question', [
      ...wrapText(summary, width, { first: `${style.warn('?')} ` }),
      ...renderQuestionOutcome(question, width, style),
    ]);
  }

  override renderNote(line: string): void {
    this.endBlock();
    this.printBlock('note', [line]);
  }

  override setConnectionLost(isLost: boolean): void {
    this.terminal.printError(isLost ? 'Connection lost. Reconnecting…' : 'Reconnected.');
  }

  override suspend(): void {
    this.endBlock();
  }

  protected width(): number {
    return this.terminal.width();
  }

  protected print(lines: readonly string[]): void {
    this.terminal.print(...lines);
  }

  protected printMessage(text: string): void {
    this.printBlock('message', renderMarkdownLines(text, this.width(), this.terminal.style));
  }

  protected needsBlankLineBefore(kind: string): boolean {
    return this.lastKind !== undefined && this.lastKind !== kind;
  }

  /** Prints lines. Blocks of the same kind follow each other without a blank line. */
  protected printBlock(kind: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.print(this.needsBlankLineBefore(kind) ? ['', ...lines] : lines);
    this.lastKind = kind;
  }

  /** Makes the next output start after a blank line. */
  protected endBlock(): void {
    if (this.lastKind !== undefined) this.lastKind = 'closed';
  }
}
