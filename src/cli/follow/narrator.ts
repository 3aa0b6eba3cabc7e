import { askedLines, outcomeLines } from '#cli/text/asked';
import { userLines } from '#cli/text/entry';
import { safeLine } from '#cli/text/safe';
import type { Style } from '#cli/text/style';
import { changeLines } from '#cli/text/todos';
import { type ToolEntry, toolLine } from '#cli/text/tool-line';
import { wrap } from '#cli/text/wrap';
import type { Todo } from '#contract/conversation';
import type { ConversationEvent } from '#contract/event';
import type { Question } from '#contract/question';
import { headline, lineageText } from '#core/words';

interface Page {
  style: Style;
  width(): number;
  print(lines: readonly string[]): void;
}

/** Tells a conversation from top to bottom, with room between what does not belong together. */
export class Narrator {
  private last: string | undefined;
  private plan: readonly Todo[] = [];

  constructor(private readonly page: Page) {}

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
    this.tell('user', userLines(text, this.page.width(), this.page.style));
  }

  tool(entry: ToolEntry): void {
    this.tell('tool', [toolLine(entry, this.page.width(), this.page.style)]);
  }

  todos({ data: { todos } }: Extract<ConversationEvent, { event: 'todos' }>): void {
    this.tell('plan', changeLines(this.plan, todos, this.page.width(), this.page.style));
    this.plan = todos;
  }

  asked(question: Question): void {
    this.close();
    this.tell('question', askedLines(question, this.page.width(), this.page.style));
  }

  settled(question: Question): void {
    const { style, width } = this.page;
    const from = question.origin.length > 1 ? style.dim(`${safeLine(lineageText(question.origin))}: `) : '';
    this.close();
    this.tell('question', [
      ...wrap(from + safeLine(headline(question)), width(), { first: `${style.warn('?')} ` }),
      ...outcomeLines(question, width(), style),
    ]);
  }
}
