import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createHttpClient,
  type HttpClientOptions,
  type OutboundRequest,
  type OutboundResponse,
} from '#infra/http-client/client';

export interface LoopbackRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface LoopbackServer {
  port: number;
  url: string;
  /** Every request that it received. */
  requests: LoopbackRequest[];
  /** Resolves when the first request has arrived. */
  firstRequest: Promise<void>;
}

const openServers: (() => Promise<void>)[] = [];

/** Starts an HTTP server on loopback. */
export async function startLoopbackServer(
  handler: RequestListener,
  address: { host?: string; port?: number } = {},
): Promise<LoopbackServer> {
  const { host = '127.0.0.1', port = 0 } = address;
  const requests: LoopbackRequest[] = [];
  let onFirstRequest: () => void = () => undefined;
  const firstRequest = new Promise<void>((resolve) => {
    onFirstRequest = resolve;
  });
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    onFirstRequest();
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  openServers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const boundPort = (server.address() as AddressInfo).port;
  return { port: boundPort, url: `http://${host}:${boundPort}`, requests, firstRequest };
}

export async function closeLoopbackServers(): Promise<void> {
  await Promise.all(openServers.splice(0).map((close) => close()));
}

/** Creates a lookup without real DNS: names outside the table do not exist. */
export function createFakeLookup(table: Record<string, string[]>) {
  return async (hostname: string) => {
    const addresses = table[hostname];
    if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
}

export function sendTestRequest(
  url: string,
  request: Partial<OutboundRequest> = {},
  settings: Partial<HttpClientOptions> = {},
): Promise<OutboundResponse> {
  const network = createHttpClient({ internalHosts: ['127.0.0.1'], lookup: createFakeLookup({}), ...settings });
  return network.request({
    url,
    method: 'GET',
    mayCall: () => null,
    maxBytes: 10_000,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    ...request,
  });
}

/** Returns the error message, which the model would read. */
export async function readRefusalMessage(request: Promise<unknown>): Promise<string> {
  const outcome = await request.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error(`not refused: ${JSON.stringify(outcome.value)}`);
  expect(outcome.error.message).toMatch(/^[^\n]{10,400}\.$/);
  return outcome.error.message;
}
