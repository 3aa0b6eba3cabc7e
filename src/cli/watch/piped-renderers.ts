import { renderMarkdownLines } from '#cli/render/markdown';
import type { Terminal } from '#cli/tty/terminal';
import type { Conversation } from '#contract/conversation';
import type { ConversationEvent, InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { escapeInvisible } from '#presentation/confirmation';
import { TranscriptPrinter, TranscriptRenderer, type WatchRenderer } from './renderer';

/** For a pipe, a file or a dumb terminal: prints finished text, line by line. */
export class PlainWatchRenderer extends TranscriptRenderer implements WatchRenderer {
  protected readonly printer: TranscriptPrinter;

  constructor(private readonly terminal: Terminal) {
    super();
    const { style, width, print } = terminal;
    this.printer = new TranscriptPrinter({ style, width, print: (lines) => print(...lines) });
  }

  setPlan({ todos }: Pick<Conversation, 'todos'>): void {
    this.printer.setPlan(todos);
  }

  renderEvent(event: ConversationEvent): void {
    const { printer, terminal } = this;
    switch (event.event) {
      case 'message':
        if (event.data.role === 'user') printer.printUserMessage(event.data.text);
        else printer.printBlock('message', renderMarkdownLines(event.data.text, terminal.width(), terminal.style));
        return printer.endBlock();
      case 'tool':
        return printer.printTool(event.data);
      case 'todos':
        return printer.todos(event);
      case 'snapshot':
        return this.setPlan(event.data);
    }
  }

  setConnectionLost(isLost: boolean): void {
    this.terminal.printError(isLost ? 'Connection lost, trying again …' : 'Connected again.');
  }

  suspend(): void {
    this.printer.endBlock();
  }

  setWaitingStatus(): void {}
  resume(): void {}
  stop(): void {}
}

/** For programs: prints nothing until the end. */
export class SilentWatchRenderer implements WatchRenderer {
  setPlan(): void {}
  markOutputAbove(): void {}
  renderEvent(_event: ConversationEvent): void {}
  renderPendingQuestion(_question: Question): void {}
  renderResolvedQuestion(_question: Question): void {}
  renderNote(): void {}
  setWaitingStatus(): void {}
  setConnectionLost(): void {}
  suspend(): void {}
  resume(): void {}
  stop(): void {}
}

/** For programs: prints each event as a line of JSON, the questions of sub-agents included. */
export class JsonWatchRenderer extends SilentWatchRenderer {
  constructor(
    private readonly terminal: Terminal,
    private readonly id: string,
  ) {
    super();
  }

  override renderEvent(event: ConversationEvent): void {
    this.write(event);
  }

  override renderPendingQuestion(question: Question): void {
    if (question.conversationId !== this.id) this.write({ event: 'question_pending', data: question });
  }

  override renderResolvedQuestion(question: Question): void {
    if (question.conversationId !== this.id) this.write({ event: 'question_answered', data: question });
  }

  private write(event: ConversationEvent | InboxEvent): void {
    this.terminal.print(escapeInvisible(JSON.stringify(event)));
  }
}
