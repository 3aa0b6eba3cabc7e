import type { Terminal } from '#cli/terminal';
import { markdownLines } from '#cli/text/markdown';
import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/event';
import { NarratingTeller } from './narrating-teller';
import { Narrator } from './narrator';
import type { Teller } from './teller';

/** For a pipe, a file or a terminal without a screen: what is finished, line by line. */
export class PlainTeller extends NarratingTeller implements Teller {
  protected readonly narrator: Narrator;

  constructor(private readonly terminal: Terminal) {
    super();
    const { style, width, print } = terminal;
    this.narrator = new Narrator({ style, width, print: (lines) => print(...lines) });
  }

  begin({ todos }: Pick<Conversation, 'todos'>): void {
    this.narrator.begin(todos);
  }

  event(event: ConversationEvent): void {
    const { narrator, terminal } = this;
    switch (event.event) {
      case 'message':
        if (event.data.role === 'user') narrator.user(event.data.text);
        else narrator.tell('message', markdownLines(event.data.text, terminal.width(), terminal.style));
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
