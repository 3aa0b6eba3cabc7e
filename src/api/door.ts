import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Config, ConfigError } from '#infra/config';
import { tellStarting } from './starting';

/** A port that is ours: known, and kept, before there is anything behind it. */
export interface Door {
  server: Server;
  /** By which this machine reaches it. */
  url: string;
}

const PREFERRED_PORT = 3000;
/** A slow sender is cut off, and so is who asks and does not read; a stream that is being read is not. */
const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Node looks every 30 s unless told, which would be the true limit.
  connectionsCheckingInterval: 2_000,
  // Longer than a proxy keeps a connection, so that it is first to close.
  keepAliveTimeout: 65_000,
  // With nothing going either way. A stream has a line every 15 s.
  idleTimeout: 120_000,
};

export async function openDoor(
  config: Pick<Config, 'host' | 'port'>,
  { idleTimeout, ...timeouts } = PATIENCE,
): Promise<Door> {
  const server = createServer(timeouts, tellStarting);
  server.setTimeout(idleTimeout);
  return { server, url: await listen(server, config) };
}

/** Port 3000 where nobody said otherwise; if it is taken, any. */
async function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  const attempt = (on: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(on, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt(port ?? PREFERRED_PORT);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw new ConfigError(`HOST and PORT cannot be listened on: ${message}.`);
    if (port !== undefined) throw new ConfigError(`Port ${port} is taken. Set PORT to another one.`);
    await attempt(0);
  }
  const { port: taken } = server.address() as AddressInfo;
  return `http://${reachable(host)}:${taken}`;
}

/** An address that stands for all of them cannot be called; this machine can by its own. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
