import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ApiKey, hasScope } from '#contract/permissions';
import { findApiKey } from '#infra/crypto/api-keys';
import { isLoopbackHost } from '#infra/loopback';
import type { Metrics } from '#telemetry/telemetry';

export type WorkerHealthServer = Awaited<ReturnType<typeof startWorkerHealthServer>>;

export interface WorkerHealthSource {
  metrics: Metrics;
  /** Whether the worker polls Temporal. */
  isPolling(): boolean;
  /** Rejects if Temporal does not respond. */
  checkTemporal(): Promise<unknown>;
}

type HealthResponse = [status: number, type: string, text: string];

const JSON_CONTENT_TYPE = 'application/json';

/** Starts an HTTP server for the worker's health and metrics, as a worker has no API. */
export async function startWorkerHealthServer(
  { host, port, keys }: { host: string; port: number; keys: readonly ApiKey[] | undefined },
  source: WorkerHealthSource,
) {
  const server = createServer((request, response) => {
    void respondToHealthRequest(request, source, keys)
      .catch((): HealthResponse => [500, JSON_CONTENT_TYPE, '{"status":"failed"}'])
      .then(([status, type, text]) => {
        const headers = { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
        const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
        response.writeHead(status, { ...headers, ...challenge }).end(text);
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { address, family, port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${boundPort}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respondToHealthRequest(
  request: IncomingMessage,
  source: WorkerHealthSource,
  keys: readonly ApiKey[] | undefined,
): Promise<HealthResponse> {
  const path = (request.url ?? '').split('?', 1)[0];
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return createStatusResponse(405, 'only GET is allowed here');
  if (path === '/metrics')
    return refuseUnlessScraper(request, keys) ?? [200, source.metrics.contentType, await source.metrics.text()];
  if (path !== '/healthz' && path !== '/readyz')
    return createStatusResponse(404, 'not found: use /metrics, /healthz or /readyz');
  if (!source.isPolling()) return createStatusResponse(503, 'not polling');
  if (path === '/healthz') return createStatusResponse(200, 'ok');
  return source.checkTemporal().then(
    () => createStatusResponse(200, 'ready'),
    () => createStatusResponse(503, "can't reach Temporal"),
  );
}

/** Requires `metrics:read` or `admin`. Without keys, allows loopback hosts only, which excludes web pages of other hosts. */
function refuseUnlessScraper({ headers }: IncomingMessage, keys: readonly ApiKey[] | undefined) {
  if (!keys)
    return isLoopbackHost(headers.host ?? '') ? undefined : createStatusResponse(403, 'allowed on this machine only');
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const key = bearer ? findApiKey(keys, bearer) : undefined;
  if (!key) return createStatusResponse(401, 'send a key with the scope metrics:read: Authorization: Bearer parley_…');
  return hasScope(key, 'metrics:read')
    ? undefined
    : createStatusResponse(403, 'requires a key with the scope metrics:read');
}

function createStatusResponse(status: number, statusText: string): HealthResponse {
  return [status, JSON_CONTENT_TYPE, JSON.stringify({ status: statusText })];
}
