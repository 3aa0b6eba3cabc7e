import { renderMarkdownLines } from '#cli/render/markdown';
import type { Terminal } from '#cli/tty/terminal';
import type { Conversation } from '#contract/conversation';
import type { ConversationEvent, InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { escapeInvisible } from '#presentation/confirmation';
import { TranscriptPrinter, TranscriptRenderer, type WatchRenderer } from './renderer';

/** For a pipe, a file or a terminal without a screen: what is finished, line by line. */
export class PlainWatchRenderer extends TranscriptRenderer implements WatchRenderer {
  protected readonly narrator: TranscriptPrinter;

  constructor(private readonly terminal: Terminal) {
    super();
    const { style, width, print } = terminal;
    this.narrator = new TranscriptPrinter({ style, width, print: (lines) => print(...lines) });
  }

  begin({ todos }: Pick<Conversation, 'todos'>): void {
    this.narrator.begin(todos);
  }

  event(event: ConversationEvent): void {
    const { narrator, terminal } = this;
    switch (event.event) {
      case 'message':
        if (event.data.role === 'user') narrator.user(event.data.text);
        else narrator.tell('message', renderMarkdownLines(event.data.text, terminal.width(), terminal.style));
        return narrator.close();
      case 'tool':
        return narrator.tool(event.data);
      case 'todos':
        return narrator.todos(event);
      case 'snapshot':
        return this.begin(event.data);
    }
  }

  line(isLost: boolean): void {
    this.terminal.complain(isLost ? 'Connection lost, trying again …' : 'Connected again.');
  }

  suspend(): void {
    this.narrator.close();
  }

  waits(): void {}
  resume(): void {}
  stop(): void {}
}

/** For a program: nothing until the end. */
export class SilentWatchRenderer implements WatchRenderer {
  begin(): void {}
  below(): void {}
  event(_event: ConversationEvent): void {}
  asked(_question: Question): void {}
  settled(_question: Question): void {}
  say(): void {}
  waits(): void {}
  line(): void {}
  suspend(): void {}
  resume(): void {}
  stop(): void {}
}

/** For a program that looks on: each event on a line of its own, those of sub-agents’ questions too. */
export class JsonWatchRenderer extends SilentWatchRenderer {
  constructor(
    private readonly terminal: Terminal,
    private readonly id: string,
  ) {
    super();
  }

  override event(event: ConversationEvent): void {
    this.write(event);
  }

  override asked(question: Question): void {
    if (question.conversationId !== this.id) this.write({ event: 'question_pending', data: question });
  }

  override settled(question: Question): void {
    if (question.conversationId !== this.id) this.write({ event: 'question_answered', data: question });
  }

  private write(event: ConversationEvent | InboxEvent): void {
    this.terminal.print(escapeInvisible(JSON.stringify(event)));
  }
}
