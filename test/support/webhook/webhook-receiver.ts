import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook {
  id: string;
  type: string;
  session: string;
  headers: Record<string, string>;
  /** The unparsed body. */
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect its content.
  data: any;
}

export interface WebhookReceiver {
  url: string;
  port: number;
  /** All verified webhooks, in order of arrival. */
  deliveries: ReceivedWebhook[];
  /** Sets the response to webhooks from now on. */
  respondWith(response: ReceiverResponse): void;
  /** Resolves with all webhooks once there are `count`, ordered by timestamp, as they may arrive in another order. */
  waitForDeliveries(count: number): Promise<ReceivedWebhook[]>;
  stop(): Promise<void>;
}

type ReceiverResponse = number | ((response: ServerResponse, delivery: ReceivedWebhook, index: number) => void);

const timestampOf = ({ body }: ReceivedWebhook): string => JSON.parse(body).timestamp;

/** Starts a webhook receiver that verifies signatures with the official package, and rejects invalid ones. */
export async function startWebhookReceiver(secret: string, first: ReceiverResponse = 204): Promise<WebhookReceiver> {
  const deliveries: ReceivedWebhook[] = [];
  const waiters = new Set<() => void>();
  let answer = first;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const delivery = readWebhook(request.headers, body);
    if (!isGenuine(secret, delivery)) return response.writeHead(401).end();
    deliveries.push(delivery);
    for (const wake of waiters) wake();
    if (typeof answer === 'number') return response.writeHead(answer).end();
    answer(response, delivery, deliveries.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks?token=hush`,
    port,
    deliveries,
    respondWith(how) {
      answer = how;
    },
    async waitForDeliveries(count) {
      while (deliveries.length < count)
        await new Promise<void>((resolve) => waiters.add(resolve)).finally(() => waiters.clear());
      return [...deliveries].sort((a, b) => timestampOf(a).localeCompare(timestampOf(b)));
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readWebhook(rawHeaders: IncomingHttpHeaders, body: string): ReceivedWebhook {
  const headers = rawHeaders as Record<string, string>;
  const { type, data } = JSON.parse(body);
  const { 'webhook-id': id = '', 'x-agent-session': session = '' } = headers;
  return { id, type, session, headers, body, data };
}

function isGenuine(secret: string, { headers, body }: ReceivedWebhook): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
