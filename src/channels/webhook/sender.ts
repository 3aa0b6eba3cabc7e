import { createHash, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { ChannelError, type ChannelSender, type OutgoingNotification } from '#channels/channel';
import { exampleQuestion, exampleWaitingConversation } from '#contract/operations/examples';
import type { OutboundResponse, SafeHttpClient } from '#infra/http-client/client';
import { findReceiverUrlIssue } from './allowed-receivers';
import {
  createConversationEndedEvent,
  createQuestionAnsweredEvent,
  createQuestionPendingEvent,
  serializeWebhookEvent,
  type WebhookEvent,
} from './payload';
import { resolveWebhookSecrets, type WebhookEndpointSecrets } from './signing-secrets';

export interface WebhookSenderOptions {
  endpointSecrets: readonly WebhookEndpointSecrets[];
  secret: string;
  httpClient: SafeHttpClient;
  /** Timeout of a delivery. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 16_384;

/**
 * Creates a sender that notifies a program through its callback URL, by Standard Webhooks 1.0. A retry has the same id
 * and the same body, byte for byte.
 */
export function createWebhookSender(options: WebhookSenderOptions): ChannelSender {
  const post = (id: string, target: string, event: WebhookEvent) => sendWebhook(options, id, target, event);
  const sendPending = async (notification: OutgoingNotification) => {
    await post(notification.id, notification.target, createQuestionPendingEvent(notification));
    return {};
  };
  return {
    name: 'webhook',
    send: sendPending,
    remind: sendPending,
    async updateCopy(copy) {
      await post(copy.id, copy.target, createQuestionAnsweredEvent(copy));
    },
    async sendConversationEnd(event) {
      await post(event.id, event.target, createConversationEndedEvent(event));
    },
    async test(target) {
      const notification = createTestNotification(target, new Date());
      const { status } = await post(notification.id, target, createQuestionPendingEvent(notification));
      return `Sent a question.pending event of conversation ${notification.rootConversationId} to ${new URL(target).host}, which responded ${status}.`;
    },
  };
}

async function sendWebhook(
  { endpointSecrets, secret, httpClient, timeoutMs = TIMEOUT_MS }: WebhookSenderOptions,
  id: string,
  target: string,
  event: WebhookEvent,
): Promise<OutboundResponse> {
  const url = parseReceiverUrl(target, httpClient);
  const body = serializeWebhookEvent(event);
  const headers = {
    // The timestamp is part of the message id, since a conversation id may be reused once the conversation is
    // forgotten.
    ...createSignatureHeaders(
      `${id} ${event.timestamp}`,
      body,
      resolveWebhookSecrets(url.href, endpointSecrets, secret),
    ),
    'x-agent-session': event.data.conversationId,
    'content-type': 'application/json',
    'user-agent': 'Parley-Webhooks/1.0',
  };
  const request = httpClient.request({
    url: url.href,
    method: 'POST',
    headers,
    body,
    mayCall: (calledUrl) => findReceiverUrlIssue(calledUrl, httpClient),
    maxBytes: MAX_RESPONSE_BYTES,
    needsBody: false,
    timeoutMs,
    signal: new AbortController().signal,
  });
  const response = await request.catch((error: Error) => {
    throw new ChannelError(error.message.includes(url.host) ? error.message : `${url.host}: ${error.message}`);
  });
  assertWebhookAccepted(url.host, response);
  return response;
}

const NO_RECEIVER =
  'This conversation has no webhook receiver, or the receiver unsubscribed. Set callbackUrl when you start the conversation or in the agent file.';

/** Parses the receiver's URL. An invalid or forbidden one is a permanent error: retrying cannot help. */
function parseReceiverUrl(target: string, httpClient: SafeHttpClient): URL {
  if (!URL.canParse(target)) throw new ChannelError(NO_RECEIVER, { isPermanent: true });
  const url = new URL(target);
  const issue = findReceiverUrlIssue(url, httpClient);
  if (issue !== null) throw new ChannelError(issue, { isPermanent: true });
  return url;
}

/**
 * Creates the headers of Standard Webhooks, with a signature for each secret, so that a receiver can switch secrets at
 * any time.
 */
function createSignatureHeaders(id: string, body: string, secrets: string[]): Record<string, string> {
  const signedAt = new Date();
  // Hashed, since Standard Webhooks signs the id between dots, and conversation ids may contain dots.
  const messageId = `msg_${createHash('sha256').update(id).digest('hex')}`;
  const signatures = secrets.map((secret) => new Webhook(secret).sign(messageId, signedAt, body));
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * Throws unless the receiver accepted the event. The error names only the host, since the rest of the URL may hold a
 * key.
 */
function assertWebhookAccepted(host: string, { status, headers }: OutboundResponse): void {
  if (status >= 200 && status < 300) return;
  if (status === 410)
    throw new ChannelError(`${host} responded 410 Gone, so no more webhooks are sent to it.`, {
      isUnsubscribed: true,
    });
  const hint = STATUS_HINTS.find(([from, to]) => status >= from && status <= to)?.[2] ?? '';
  const retryAfterMs = status === 429 || status === 503 ? parseRetryAfter(headers['retry-after']) : undefined;
  throw new ChannelError(`${host} responded ${status}${hint}.`, { retryAfterMs });
}

const STATUS_HINTS: [from: number, to: number, hint: string][] = [
  [300, 399, '. Redirects are not followed: use the final URL'],
  [401, 403, '. It may be checking signatures with a different secret'],
  [404, 405, '. It accepts no webhooks at that path'],
];

const MAX_RETRY_AFTER_MS = 6 * 3_600_000;

/** Parses seconds or a date; a value that is neither is ignored. */
function parseRetryAfter(headerValue: string | undefined): number | undefined {
  if (headerValue === undefined) return undefined;
  const ms = /^\d+$/.test(headerValue) ? Number(headerValue) * 1_000 : Date.parse(headerValue) - Date.now();
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

const TEST_CONVERSATION_ID = 'parley-test';

/** Creates a fake question to test a receiver. */
function createTestNotification(target: string, now: Date): OutgoingNotification {
  const links = Object.entries(exampleWaitingConversation.links).map(([name, url]) => [
    name,
    url.replace(exampleWaitingConversation.id, TEST_CONVERSATION_ID),
  ]);
  return {
    id: `${TEST_CONVERSATION_ID}/${randomUUID()}`,
    target,
    dueAt: now.toISOString(),
    reason: 'test: no answer needed',
    escalatedTo: [],
    question: {
      ...exampleQuestion,
      id: 'question-test',
      conversationId: TEST_CONVERSATION_ID,
      askedAt: now.toISOString(),
      expiresAt: null,
    },
    title: 'Webhook test',
    links: Object.fromEntries(links),
    rootConversationId: TEST_CONVERSATION_ID,
    access: { owner: null, visibleTo: [], assignees: [] },
    linksRevokedFor: [],
    mayBeDuplicate: false,
  };
}
