import type { Terminal } from '#cli/terminal';
import type { ConversationEvent, InboxEvent } from '#contract/event';
import type { Question } from '#contract/question';
import { writtenOut } from '#core/shown-action';
import type { Teller } from './teller';

/** For a program: nothing until the end. */
export class SilentTeller implements Teller {
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
export class EventTeller extends SilentTeller {
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
    this.terminal.print(writtenOut(JSON.stringify(event)));
  }
}
