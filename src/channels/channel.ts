import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';

/** What a copy of a question is found by later, to change it or to follow up on it. Small, and kept with the question. */
export type DeliveryRef = Record<string, string>;

/** What every message is about, whatever it says. */
export interface NotificationContext {
  /** The same `id` is the same message, however often it is sent. */
  id: string;
  /** Where on the channel: `#ops`, an address, the URL of a receiver. */
  place: string;
  question: Question;
  title: string;
  links: ConversationLinks;
  /** The conversation at the top of those it works for. */
  root: string;
}

/** Something to tell about an open question. */
export interface OutgoingNotification extends NotificationContext {
  /** When it was due. */
  at: string;
  /** In words: `asked`, `reminder 1 of 2`, `escalated to maria`. */
  what: string;
  /** Whom it is escalated to. */
  to: string[];
  /** Who may answer; where it went makes nobody one of them. */
  access: ConversationState['access'];
  /** Whose links to it were taken back: they get none. `*` for everybody's. */
  revoked: string[];
  /** It may have gone out before: a worker died, or the run rolled over, before that was known. */
  isRepeat: boolean;
}

/** A copy of a question that is settled now: `question` has the outcome. */
export interface ResolvedCopy extends NotificationContext {
  /** Empty where it is not known whether the notice went out: its id is what `id` begins with. */
  ref: DeliveryRef;
}

export interface ConversationEndEvent {
  id: string;
  place: string;
  conversation: Conversation;
}

/**
 * A way to tell people. What fails is thrown, and Temporal sends again, for days. A message may go out twice if a worker
 * died right then: it has the same id, and a channel that can shows it once.
 */
export interface Channel {
  name: string;
  /** Tell of a question that was asked, or that somebody new is to answer. Empty where there is no copy to change later. */
  send(notice: OutgoingNotification): Promise<DeliveryRef>;
  /** Bring it to mind again where it was told of before. What the copy is found by: as before, unless it had to be put anew. */
  remind(notice: OutgoingNotification, copy: DeliveryRef): Promise<DeliveryRef>;
  /** Change the copy to say who settled it, where and when; or where that cannot be, follow up on it. */
  settle(copy: ResolvedCopy): Promise<void>;
  /** The conversation has ended: only for those who follow more than questions. */
  end?(ending: ConversationEndEvent): Promise<void>;
  /** Send a test to that place, or try as much as can be where none is named; what fails says what is wrong and what to do. */
  test?(place: string): Promise<string>;
}

/** Why something could not be told, in words for whoever runs Parley. Whatever else is thrown is tried again. */
export class ChannelError extends Error {
  /** No waiting mends it. */
  readonly isFinal: boolean;
  /** Whoever is there wants nothing more. */
  readonly isGone: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, how: { isFinal?: boolean; isGone?: boolean; retryAfterMs?: number } = {}) {
    super(message);
    this.isGone = how.isGone ?? false;
    this.isFinal = this.isGone || (how.isFinal ?? false);
    this.retryAfterMs = how.retryAfterMs;
  }
}
