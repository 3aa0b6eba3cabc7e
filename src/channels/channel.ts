import type { RequestHandler } from 'express';
import type { z } from 'zod';
import type { Agent } from '#contract/agent';
import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Person } from '#contract/people';
import type { Question } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';
import type { SafeHttpClient } from '#infra/http-client/client';
import type { InboundDeps } from './inbound';

/**
 * A way to reach people, in both directions. The rest of Parley knows a channel only through this plug-in interface. To
 * add one, write it in its own folder and list it in registry.ts.
 */
export interface Channel<Settings = unknown> {
  /** The prefix of its destinations, as in `slack:#ops`, and `outcome.via` of its answers. */
  name: string;
  /** What follows the colon in a destination. Absent: nothing may follow. */
  target?: { pattern: RegExp; example: string; forms: string[] };
  /** Its name for people: `Slack` in `via Slack` and `Slack #ops`. */
  label: string;
  /** The environment variables that configure it. Absent: it needs none. */
  environment?: z.ZodObject;
  /** Variables that are needed together. */
  requires?: readonly [present: string, required: string, reason: string][];
  /** The settings from the environment; undefined if the channel is not configured. */
  readSettings(values: Record<string, unknown>): Settings | undefined;
  /** The variables to set first, for `npm run channels` and the warnings on agent files. */
  setupVariables?: readonly string[];
  createSender(settings: Settings, deps: SenderDeps): ChannelSender;
  /** The routes for messages from outside. */
  createInboundRoutes?(settings: Settings, deps: InboundDeps): InboundRoute[];
  /** The person who reads notifications at a target, if known. */
  findPersonAt?(target: string, people: readonly Person[]): string | undefined;
  /** Likely mistakes in an agent file that names a destination of this channel. */
  findAgentWarnings?(agent: Agent): string[];
  test?: ChannelTestSetup<Settings>;
}

/** How `npm run channels` tries a channel. */
export interface ChannelTestSetup<Settings> {
  /** What to print if there is nothing to test. Absent: that it is not set up. */
  note?: string;
  /** What can be tested besides the destinations in agent files, and the message if it is missing. */
  target?: { pattern: RegExp; missing: string; listFrom(agent: Agent): string[] };
  /** What has to be configured elsewhere so that answers arrive. */
  describeInbound?(settings: Settings, publicUrl: string): string[];
}

/** A route that another service posts to. */
export interface InboundRoute {
  path: string;
  handlers: RequestHandler[];
}

/** Dependencies that all senders share. */
export interface SenderDeps {
  people: readonly Person[];
  /** The API's secret: signs answer links and reply addresses, and derives webhook secrets. */
  secret: string;
  /** Calls webhook receivers. */
  httpClient: SafeHttpClient;
  log: { warn(fields: object, message: string): void };
  /** No API keys are configured, so everyone may answer. */
  allowAnyone: boolean;
  /** Leaves titles and people out of the log, since conversations are encrypted. */
  redactLog?: boolean;
}

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
  /** Who may answer. Receiving the notification grants no access. */
  access: ConversationState['access'];
  /** People whose answer links were revoked, so they get none; `*` stands for everyone. */
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
 * Sends the notifications of one channel. Failures are thrown, and Temporal retries for days. A message may go out
 * twice if a worker dies while sending: both have the same id, and a channel that can deduplicate shows one.
 */
export interface ChannelSender {
  name: string;
  /**
   * Sends a new question, or an escalation to a new recipient. Returns an empty ref if the copy cannot be updated
   * later.
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
