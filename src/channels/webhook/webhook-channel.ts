import { createHash, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Channel, ChannelError, type OutgoingNotification } from '#channels/channel';
import type { WebhookEndpointSecrets } from '#contract/channel-settings';
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
import { resolveWebhookSecrets } from './signing-secrets';

export interface WebhookChannelOptions {
  secrets: readonly WebhookEndpointSecrets[];
  secret: string;
  network: SafeHttpClient;
  /** How long a receiver may take. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 16_384;

/** Tells a program by its callback: Standard Webhooks 1.0. What is sent again has the same id, and the same body to the byte. */
export function createWebhookChannel(settings: WebhookChannelOptions): Channel {
  const tell = (id: string, place: string, event: WebhookEvent) => sendWebhook(settings, id, place, event);
  return {
    name: 'webhook',
    async send(notice) {
      await tell(notice.id, notice.place, createQuestionPendingEvent(notice));
      return {};
    },
    async remind(notice) {
      await tell(notice.id, notice.place, createQuestionPendingEvent(notice));
      return {};
    },
    async settle(copy) {
      await tell(copy.id, copy.place, createQuestionAnsweredEvent(copy));
    },
    async end(ending) {
      await tell(ending.id, ending.place, createConversationEndedEvent(ending));
    },
    async test(place) {
      const notice = createTestNotification(place, new Date());
      const { status } = await tell(notice.id, place, createQuestionPendingEvent(notice));
      return `A question.pending of the conversation ${notice.root} was sent to ${new URL(place).host}, which answered ${status}.`;
    },
  };
}

async function sendWebhook(
  { secrets, secret, network, timeoutMs = TIMEOUT_MS }: WebhookChannelOptions,
  id: string,
  place: string,
  event: WebhookEvent,
): Promise<OutboundResponse> {
  const url = parseReceiverUrl(place, network);
  const body = serializeWebhookEvent(event);
  const headers = {
    // With when it happened: the id of a conversation may be used again when that is forgotten.
    ...createSignatureHeaders(
      `${id} ${event.timestamp}`,
      body,
      resolveWebhookSecrets(url.href, secrets, secret),
      new Date(),
    ),
    'x-agent-session': event.data.conversationId,
    'content-type': 'application/json',
    'user-agent': 'Parley-Webhooks/1.0',
  };
  const sending = network.request({
    url: url.href,
    method: 'POST',
    headers,
    body,
    mayCall: (called) => findReceiverUrlIssue(called, network),
    followsRedirects: false,
    maxBytes: MAX_RESPONSE_BYTES,
    needsBody: false,
    timeoutMs,
    signal: new AbortController().signal,
  });
  const response = await sending.catch((error: Error) => {
    throw new ChannelError(withHost(url.host, error.message));
  });
  assertWebhookAccepted(url.host, response);
  return response;
}

const NO_RECEIVER =
  'This conversation has no receiver of webhooks, or its receiver wants no more: name one as callbackUrl at the start or in the file of the agent.';

/** No waiting mends an address that may not be one. */
function parseReceiverUrl(place: string, network: SafeHttpClient): URL {
  if (!URL.canParse(place)) throw new ChannelError(NO_RECEIVER, { isFinal: true });
  const url = new URL(place);
  const fault = findReceiverUrlIssue(url, network);
  if (fault !== null) throw new ChannelError(fault, { isFinal: true });
  return url;
}

function withHost(host: string, message: string): string {
  return message.includes(host) ? message : `${host}: ${message}`;
}

/** The headers of Standard Webhooks: a signature for each secret, so that a receiver may change over when it likes. */
function createSignatureHeaders(
  id: string,
  body: string,
  secrets: string[],
  at: Date,
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  const messageId = webhookMessageId(id);
  const signatures = secrets.map((secret) => new Webhook(secret).sign(messageId, at, body));
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** The id is signed with dots around it, so it must hold none: those of conversations may. */
function webhookMessageId(id: string): string {
  return `msg_${createHash('sha256').update(id).digest('hex')}`;
}

/** Throws unless the receiver has taken it. Nothing of the address but its host is told: the rest may hold a key. */
function assertWebhookAccepted(
  host: string,
  { status, headers }: Pick<OutboundResponse, 'status' | 'headers'>,
  now = Date.now(),
): void {
  if (status >= 200 && status < 300) return;
  if (status === 410)
    throw new ChannelError(`${host} answered 410: it wants no more webhooks, so it is sent none.`, {
      isGone: true,
    });
  const why = STATUS_HINTS.find(([from, to]) => status >= from && status <= to)?.[2] ?? '';
  const retryAfterMs = status === 429 || status === 503 ? parseRetryAfter(headers['retry-after'], now) : undefined;
  throw new ChannelError(`${host} answered ${status}${why}.`, { retryAfterMs });
}

const STATUS_HINTS: [from: number, to: number, why: string][] = [
  [300, 399, ', which sends elsewhere, and webhooks are not redirected: give the address where they are taken'],
  [401, 403, ': it may check signatures with another secret than the one that is set here'],
  [404, 405, ': it takes no webhooks at that path'],
];

const MAX_RETRY_AFTER_MS = 6 * 3_600_000;

/** Seconds, or a date. What cannot be read is as if it had not been said. */
function parseRetryAfter(said: string | undefined, now: number): number | undefined {
  if (said === undefined) return undefined;
  const ms = /^\d+$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

const TEST_CONVERSATION_ID = 'parley-test';

/** A question that nobody asked, to try a receiver with. */
function createTestNotification(place: string, now: Date): OutgoingNotification {
  const links = Object.entries(exampleWaitingConversation.links).map(([name, url]) => [
    name,
    url.replace(exampleWaitingConversation.id, TEST_CONVERSATION_ID),
  ]);
  return {
    id: `${TEST_CONVERSATION_ID}/${randomUUID()}`,
    place,
    at: now.toISOString(),
    what: 'a test: nobody waits for an answer',
    to: [],
    question: {
      ...exampleQuestion,
      id: 'question-test',
      conversationId: TEST_CONVERSATION_ID,
      askedAt: now.toISOString(),
      expiresAt: null,
    },
    title: 'A test of this webhook',
    links: Object.fromEntries(links),
    root: TEST_CONVERSATION_ID,
    access: { owner: null, visibleTo: [], assignees: [] },
    revoked: [],
    isRepeat: false,
  };
}
