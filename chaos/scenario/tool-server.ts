import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The server that tools call. It counts the requests. */
export interface CountingToolServer {
  host: string;
  /** Number of requests by run. */
  runs: Map<string, number>;
  stop(): Promise<void>;
}

/** Starts the server. `/run/REF?takes=MS&hangUp=1` is counted on arrival, as a payment would be. */
export async function startCountingToolServer(): Promise<CountingToolServer> {
  const runs = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://outside');
    const ref = url.pathname.replace('/run/', '');
    runs.set(ref, (runs.get(ref) ?? 0) + 1);
    await pause(Number(url.searchParams.get('takes')));
    if (url.searchParams.has('hangUp')) return void request.socket.destroy();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ran: ref }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    runs,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const formatRunMarker = (ref: string) => `"ran":"${ref}"`;
