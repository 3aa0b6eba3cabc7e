import { type Channel, ChannelError } from '#channels/channel';
import type { EndpointSecrets } from '#contract/channel-settings';
import type { CheckedNetwork, OutboundResponse } from '#network/network';
import { secretsFor } from '#signing/webhook-secret';
import { bodyOf } from './body';
import { answeredEvent, endedEvent, pendingEvent, type WebhookEvent } from './event';
import { exampleNotice } from './example';
import { faultOfReceiver } from './receivers';
import { signedHeaders } from './signed';
import { takeVerdict } from './verdict';

export interface WebhookSettings {
  secrets: readonly EndpointSecrets[];
  secret: string;
  network: CheckedNetwork;
  /** How long a receiver may take. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
const RESPONSE_BYTES = 16_384;

/** Tells a program by its callback: Standard Webhooks 1.0. What is sent again has the same id, and the same body to the byte. */
export function webhookChannel(settings: WebhookSettings): Channel {
  const tell = (id: string, place: string, event: WebhookEvent) => deliver(settings, id, place, event);
  return {
    name: 'webhook',
    async send(notice) {
      await tell(notice.id, notice.place, pendingEvent(notice));
      return {};
    },
    async remind(notice) {
      await tell(notice.id, notice.place, pendingEvent(notice));
      return {};
    },
    async settle(copy) {
      await tell(copy.id, copy.place, answeredEvent(copy));
    },
    async end(ending) {
      await tell(ending.id, ending.place, endedEvent(ending));
    },
    async test(place) {
      const notice = exampleNotice(place, new Date());
      const { status } = await tell(notice.id, place, pendingEvent(notice));
      return `A question.pending of the conversation ${notice.root} was sent to ${new URL(place).host}, which answered ${status}.`;
    },
  };
}

async function deliver(
  { secrets, secret, network, timeoutMs = TIMEOUT_MS }: WebhookSettings,
  id: string,
  place: string,
  event: WebhookEvent,
): Promise<OutboundResponse> {
  const url = receiverAt(place, network);
  const body = bodyOf(event);
  const headers = {
    // With when it happened: the id of a conversation may be used again when that is forgotten.
    ...signedHeaders(`${id} ${event.timestamp}`, body, secretsFor(url.href, secrets, secret), new Date()),
    'x-agent-session': event.data.conversationId,
    'content-type': 'application/json',
    'user-agent': 'Parley-Webhooks/1.0',
  };
  const sending = network.request({
    url: url.href,
    method: 'POST',
    headers,
    body,
    mayCall: (called) => faultOfReceiver(called, network),
    followsRedirects: false,
    maxBytes: RESPONSE_BYTES,
    needsBody: false,
    timeoutMs,
    signal: new AbortController().signal,
  });
  const response = await sending.catch((error: Error) => {
    throw new ChannelError(naming(url.host, error.message));
  });
  takeVerdict(url.host, response);
  return response;
}

const NOWHERE =
  'This conversation has no receiver of webhooks, or its receiver wants no more: name one as callbackUrl at the start or in the file of the agent.';

/** No waiting mends an address that may not be one. */
function receiverAt(place: string, network: CheckedNetwork): URL {
  if (!URL.canParse(place)) throw new ChannelError(NOWHERE, { isFinal: true });
  const url = new URL(place);
  const fault = faultOfReceiver(url, network);
  if (fault !== null) throw new ChannelError(fault, { isFinal: true });
  return url;
}

function naming(host: string, message: string): string {
  return message.includes(host) ? message : `${host}: ${message}`;
}
