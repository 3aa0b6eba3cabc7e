import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findKey } from '#api/keys';
import type { Key } from '#contract/access';
import type { Metrics } from '#metrics/metrics';

export interface WorkerPort {
  url: string;
  close(): Promise<void>;
}

export interface Watched {
  metrics: Metrics;
  /** Whether it asks Temporal for work. */
  isPolling(): boolean;
  /** Rejects unless Temporal answers. */
  reach(): Promise<unknown>;
}

type Told = [status: number, type: string, text: string];

const JSON_TYPE = 'application/json';

/** A worker has no API. This is for those who look after it: whether it lives, and what it counts. */
export async function openWorkerPort(
  { host, port, keys }: { host: string; port: number; keys: readonly Key[] | undefined },
  watched: Watched,
): Promise<WorkerPort> {
  const server = createServer((request, response) => {
    void answer(request, watched, keys)
      .catch((): Told => [500, JSON_TYPE, '{"status":"failed"}'])
      .then((told) => send(response, told));
  });
  await listen(server, port, host);
  const { address, family, port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
}

async function answer(
  request: IncomingMessage,
  watched: Watched,
  keys: readonly Key[] | undefined,
): Promise<Told> {
  const path = (request.url ?? '').split('?', 1)[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') return told(405, 'only GET is allowed here');
  if (path === '/healthz') return watched.isPolling() ? told(200, 'ok') : told(503, 'not polling');
  if (path === '/readyz') {
    if (!watched.isPolling()) return told(503, 'not polling');
    return watched.reach().then(
      () => told(200, 'ready'),
      () => told(503, 'Temporal does not answer'),
    );
  }
  if (path !== '/metrics') return told(404, 'there are /metrics, /healthz and /readyz');
  const refusal = refusalOf(request, keys);
  return refusal ?? [200, watched.metrics.contentType, await watched.metrics.text()];
}

/** As at the API: `admin`, or with no keys whoever is on this machine, which a web page under another name is not. */
function refusalOf({ headers }: IncomingMessage, keys: readonly Key[] | undefined): Told | undefined {
  if (!keys) return LOOPBACK.test(headers.host ?? '') ? undefined : told(403, 'on this machine only');
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const key = bearer ? findKey(keys, bearer) : undefined;
  if (!key) return told(401, 'send a key with the scope admin, as in: Authorization: Bearer parley_…');
  return key.scopes.includes('admin') ? undefined : told(403, 'this needs a key with the scope admin');
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;

function told(status: number, what: string): Told {
  return [status, JSON_TYPE, JSON.stringify({ status: what })];
}

function send(response: ServerResponse, [status, type, text]: Told): void {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  response
    .writeHead(status, status === 401 ? { ...headers, 'WWW-Authenticate': 'Bearer' } : headers)
    .end(text);
}
