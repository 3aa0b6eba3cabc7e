import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Config, ConfigError } from '#infra/config';
import { RETRY_AFTER_SECONDS, toProblem } from './middleware/errors';

/** HTTP server bound early, so the port is known before the app is ready. */
export interface HttpServer {
  server: Server;
  /** URL on this machine. */
  url: string;
}

const PREFERRED_PORT = 3000;
/** Disconnects slow senders, and clients that do not read their response. Streams that are being read stay open. */
const DEFAULT_TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Node's default of 30 s would be the effective limit.
  connectionsCheckingInterval: 2_000,
  // Longer than a proxy keeps a connection, so that the proxy closes it first.
  keepAliveTimeout: 65_000,
  // Without traffic in either direction. A stream sends a line every 15 s.
  idleTimeout: 120_000,
};

export async function listenForHttp(
  config: Pick<Config, 'host' | 'port'>,
  { idleTimeout, ...timeouts } = DEFAULT_TIMEOUTS,
): Promise<HttpServer> {
  // The app replies to a request without `Host`, with a problem like any other.
  const server = createServer({ ...timeouts, requireHostHeader: false }, respondStarting);
  server.setTimeout(idleTimeout);
  return { server, url: await listen(server, config) };
}

/** Listens on the configured port, by default on 3000, or on any free port if that is taken. */
async function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  const attempt = (candidate: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(candidate, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt(port ?? PREFERRED_PORT);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw new ConfigError(`Can't listen on HOST and PORT: ${message}.`);
    if (port !== undefined) throw new ConfigError(`Port ${port} is in use. Set PORT to another port.`);
    await attempt(0);
  }
  const { port: boundPort } = server.address() as AddressInfo;
  return `http://${reachableHost(host)}:${boundPort}`;
}

/** Maps a wildcard address to loopback, because a client cannot connect to a wildcard. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

const STARTING_DETAIL = 'Parley is starting. Nothing was accepted; retry shortly.';

/** Replies 503 until the app is ready. A page opened in a browser reloads itself. */
function respondStarting({ headers, method = '' }: IncomingMessage, response: ServerResponse): void {
  const isPage = headers.accept?.includes('text/html') ?? false;
  response
    .writeHead(503, {
      'Retry-After': RETRY_AFTER_SECONDS,
      'Cache-Control': 'no-store',
      'X-Request-Id': randomUUID(),
      'Content-Type': isPage ? 'text/plain; charset=utf-8' : 'application/problem+json; charset=utf-8',
      // Not after a submission: reloading without the form's content would lose it.
      ...(isPage && ['GET', 'HEAD'].includes(method) ? { Refresh: RETRY_AFTER_SECONDS } : {}),
    })
    .end(isPage ? STARTING_DETAIL : JSON.stringify(toProblem('temporal_unavailable', STARTING_DETAIL)));
}
