import type { ConversationEvent } from '#contract/event';
import type { Question } from '#contract/question';

/** Whatever has to be acted on while one looks on. */
export type Happening =
  | { kind: 'event'; event: ConversationEvent }
  /** As the inbox tells it: mostly a sub-agent's, which belongs to a conversation of its own. */
  | { kind: 'asked'; question: Question }
  | { kind: 'settled'; question: Question }
  | { kind: 'line'; isLost: boolean }
  /** Somebody wants to answer after all. */
  | { kind: 'enter' }
  /** Somebody has had enough. */
  | { kind: 'left' }
  /** It cannot be followed. */
  | { kind: 'failed'; error: unknown };

export type Deliver = (happening: Happening) => void;

/** The question that is settled by it, if any. */
export function settledBy(happening: Happening): Question | undefined {
  if (happening.kind === 'settled') return happening.question;
  if (happening.kind === 'event' && happening.event.event === 'question_answered')
    return happening.event.data;
  return undefined;
}
