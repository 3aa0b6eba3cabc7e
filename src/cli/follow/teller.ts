import type { Conversation } from '#contract/conversation';
import type { ConversationEvent } from '#contract/event';
import type { Question } from '#contract/question';
import type { Waits } from './waits';

/** Says what happens, to a person who looks on, to a file, or to a program. */
export interface Teller {
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
  waits(waits: Waits | undefined): void;
  line(isLost: boolean): void;
  /** The screen and the keys are somebody else's now. */
  suspend(): void;
  resume(): void;
  /** Nothing more will be told. */
  stop(): void;
}
