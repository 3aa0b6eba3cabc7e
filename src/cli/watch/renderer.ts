import type { TextStyle } from '#cli/render/colors';
import { renderPlanChanges, renderQuestion, renderQuestionOutcome, renderUserMessage } from '#cli/render/conversation';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { renderToolLine, type ToolTimelineEntry } from '#cli/render/tool-line';
import type { Conversation, Todo } from '#contract/conversation';
import type { ConversationEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { formatOrigin, questionSummaryLine } from '#presentation/labels';
import type { WaitingStatus } from './question-queue';

/** Prints what happens in a conversation: to a screen, to a file, or for a program. */
export interface WatchRenderer {
  /** Sets the plan that is already known, so that only changes to it are printed. */
  setPlan(conversation: Pick<Conversation, 'todos'>): void;
  /** Says that the screen already has output above, so that the first block starts after a blank line. */
  markOutputAbove(): void;
  /** Everything that happens in the conversation, in order. */
  renderEvent(event: ConversationEvent): void;
  /** A question that nobody here is prompted for. */
  renderPendingQuestion(question: Question): void;
  /** A question that somebody else resolved. */
  renderResolvedQuestion(question: Question): void;
  renderNote(line: string): void;
  setWaitingStatus(status: WaitingStatus | undefined): void;
  setConnectionLost(isLost: boolean): void;
  /** Gives the screen and the keys to somebody else. */
  suspend(): void;
  resume(): void;
  stop(): void;
}

/** What every renderer for people prints the same way, on a screen or on a pipe. */
export abstract class TranscriptRenderer {
  protected abstract readonly printer: TranscriptPrinter;

  markOutputAbove(): void {
    this.printer.markOutputAbove();
  }

  renderPendingQuestion(question: Question): void {
    this.printer.printPendingQuestion(question);
  }

  renderResolvedQuestion(question: Question): void {
    this.printer.printResolvedQuestion(question);
  }

  renderNote(line: string): void {
    this.printer.endBlock();
    this.printer.printBlock('note', [line]);
  }
}

interface TranscriptOutput {
  style: TextStyle;
  width(): number;
  print(lines: readonly string[]): void;
}

/** Prints a conversation from top to bottom, with a blank line between different kinds of output. */
export class TranscriptPrinter {
  private lastKind: string | undefined;
  private plan: readonly Todo[] = [];

  constructor(private readonly output: TranscriptOutput) {}

  /** Sets the plan that is already known. */
  setPlan(todos: readonly Todo[]): void {
    this.plan = todos;
  }

  /** Whether the last output was of another kind. */
  needsBlankLineBefore(kind: string): boolean {
    return this.lastKind !== undefined && this.lastKind !== kind;
  }

  /** Prints lines; those of the same kind follow each other without a blank line. */
  printBlock(kind: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.output.print(this.needsBlankLineBefore(kind) ? ['', ...lines] : lines);
    this.lastKind = kind;
  }

  /** Ends a block: whatever comes next starts after a blank line. */
  endBlock(): void {
    if (this.lastKind !== undefined) this.markOutputAbove();
  }

  /** Says that there is output above, so that the first block starts after a blank line. */
  markOutputAbove(): void {
    this.lastKind = 'closed';
  }

  printUserMessage(text: string): void {
    this.printBlock('user', renderUserMessage(text, this.output.width(), this.output.style));
  }

  printTool(entry: ToolTimelineEntry): void {
    this.printBlock('tool', [renderToolLine(entry, this.output.width(), this.output.style)]);
  }

  todos({ data: { todos } }: Extract<ConversationEvent, { event: 'todos' }>): void {
    this.printBlock('plan', renderPlanChanges(this.plan, todos, this.output.width(), this.output.style));
    this.plan = todos;
  }

  printPendingQuestion(question: Question): void {
    this.endBlock();
    this.printBlock('question', renderQuestion(question, this.output.width(), this.output.style));
  }

  printResolvedQuestion(question: Question): void {
    const { style, width } = this.output;
    const originPrefix =
      question.origin.length > 1 ? style.dim(`${sanitizeLine(formatOrigin(question.origin))}: `) : '';
    this.endBlock();
    this.printBlock('question', [
      ...wrapText(originPrefix + sanitizeLine(questionSummaryLine(question)), width(), {
        first: `${style.warn('?')} `,
      }),
      ...renderQuestionOutcome(question, width(), style),
    ]);
  }
}
