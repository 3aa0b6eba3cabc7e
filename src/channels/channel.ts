import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';

/**
 * Identifies a delivered copy of a question, so that it can be updated or followed up later. Stored with the question,
 * so it stays small.
 */
export type DeliveryRef = Record<string, string>;

/** The context that every message carries. */
export interface NotificationContext {
  /** Idempotency key: a message that is sent again has the same `id`. */
  id: string;
  /** The recipient on the channel: `#ops`, an email address, the URL of a webhook receiver. */
  target: string;
  question: Question;
  title: string;
  links: ConversationLinks;
  /** The top-level conversation; the same as the question's own unless a sub-agent asks. */
  rootConversationId: string;
}

/** A notification about an open question. */
export interface OutgoingNotification extends NotificationContext {
  /** When it was due; ISO time. */
  dueAt: string;
  /** Why it is sent: `asked`, `reminder 1 of 2`, `escalated to maria`. */
  reason: string;
  /** The people it is escalated to; empty unless it is an escalation. */
  escalatedTo: string[];
  /** Who may answer. Receiving the notification grants nobody access. */
  access: ConversationState['access'];
  /** People whose answer links were revoked, so they get none; `*` stands for everybody. */
  linksRevokedFor: string[];
  /** It may have been sent before: a worker died, or the run continued as new, before the result was recorded. */
  mayBeDuplicate: boolean;
}

/** A delivered copy of a question that is now resolved: `question` has the outcome. */
export interface ResolvedCopy extends NotificationContext {
  /** Empty if it is unknown whether the notification was sent; `id` begins with the id of that notification. */
  ref: DeliveryRef;
}

export interface ConversationEndEvent {
  id: string;
  target: string;
  conversation: Conversation;
}

/**
 * A way to notify people. Failures are thrown, and Temporal retries for days. A message may go out twice if a worker
 * dies while sending: both have the same id, and a channel that can deduplicate shows one.
 */
export interface Channel {
  name: string;
  /**
   * Sends a new question, or an escalation to somebody new. Returns an empty ref if the copy cannot be updated later.
   */
  send(notification: OutgoingNotification): Promise<DeliveryRef>;
  /**
   * Sends a reminder where the question was sent before. Returns the same ref, unless the question had to be posted
   * again.
   */
  remind(notification: OutgoingNotification, copy: DeliveryRef): Promise<DeliveryRef>;
  /**
   * Updates the copy with who resolved the question, where and when; or sends a follow-up where a copy cannot change.
   */
  updateCopy(copy: ResolvedCopy): Promise<void>;
  /** Reports the end of the conversation; only for channels whose recipients follow more than questions. */
  sendConversationEnd?(event: ConversationEndEvent): Promise<void>;
  /**
   * Sends a test message to the target, or checks what it can if the target is empty. Errors say what is wrong and what
   * to do.
   */
  test?(target: string): Promise<string>;
}

/** A delivery failure, with a message for the operator. Any other error is retried. */
export class ChannelError extends Error {
  /** Retrying cannot help. */
  readonly isPermanent: boolean;
  /** The recipient wants no more messages. */
  readonly isUnsubscribed: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { isPermanent?: boolean; isUnsubscribed?: boolean; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.isUnsubscribed = options.isUnsubscribed ?? false;
    this.isPermanent = this.isUnsubscribed || (options.isPermanent ?? false);
    this.retryAfterMs = options.retryAfterMs;
  }
}
