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

/** Says what happens, to a person who looks on, to a file, or to a program. */
export interface WatchRenderer {
  /** How it stands before anything is told. */
  begin(known: Pick<Conversation, 'todos'>): void;
  /** Something stands above it on the screen. */
  below(): void;
  /** Everything that happens in the conversation, in order. */
  event(event: ConversationEvent): void;
  /** Nobody here is asked. */
  asked(question: Question): void;
  /** By somebody else. */
  settled(question: Question): void;
  say(line: string): void;
  waits(waits: WaitingStatus | undefined): void;
  line(isLost: boolean): void;
  /** The screen and the keys are somebody else's now. */
  suspend(): void;
  resume(): void;
  /** Nothing more will be told. */
  stop(): void;
}

/** What is told the same way, whether somebody looks on or not. */
export abstract class TranscriptRenderer {
  protected abstract readonly narrator: TranscriptPrinter;

  below(): void {
    this.narrator.below();
  }

  asked(question: Question): void {
    this.narrator.asked(question);
  }

  settled(question: Question): void {
    this.narrator.settled(question);
  }

  say(line: string): void {
    this.narrator.close();
    this.narrator.tell('note', [line]);
  }
}

interface TranscriptOutput {
  style: TextStyle;
  width(): number;
  print(lines: readonly string[]): void;
}

/** Tells a conversation from top to bottom, with room between what does not belong together. */
export class TranscriptPrinter {
  private last: string | undefined;
  private plan: readonly Todo[] = [];

  constructor(private readonly page: TranscriptOutput) {}

  /** The plan that is known already. */
  begin(todos: readonly Todo[]): void {
    this.plan = todos;
  }

  /** Is there something above that it should stand apart from? */
  isApartFrom(kind: string): boolean {
    return this.last !== undefined && this.last !== kind;
  }

  /** Those of one kind stand together. */
  tell(kind: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.page.print(this.isApartFrom(kind) ? ['', ...lines] : lines);
    this.last = kind;
  }

  /** What comes next stands apart from it, of whatever kind. */
  close(): void {
    if (this.last !== undefined) this.below();
  }

  /** There is something above already. */
  below(): void {
    this.last = 'closed';
  }

  user(text: string): void {
    this.tell('user', renderUserMessage(text, this.page.width(), this.page.style));
  }

  tool(entry: ToolTimelineEntry): void {
    this.tell('tool', [renderToolLine(entry, this.page.width(), this.page.style)]);
  }

  todos({ data: { todos } }: Extract<ConversationEvent, { event: 'todos' }>): void {
    this.tell('plan', renderPlanChanges(this.plan, todos, this.page.width(), this.page.style));
    this.plan = todos;
  }

  asked(question: Question): void {
    this.close();
    this.tell('question', renderQuestion(question, this.page.width(), this.page.style));
  }

  settled(question: Question): void {
    const { style, width } = this.page;
    const from = question.origin.length > 1 ? style.dim(`${sanitizeLine(formatOrigin(question.origin))}: `) : '';
    this.close();
    this.tell('question', [
      ...wrapText(from + sanitizeLine(questionSummaryLine(question)), width(), {
        first: `${style.warn('?')} `,
      }),
      ...renderQuestionOutcome(question, width(), style),
    ]);
  }
}
