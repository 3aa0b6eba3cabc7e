import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LossyProxy {
  url: string;
  /** Number of requests that were forwarded. */
  forwardedCount(): number;
  stop(): Promise<void>;
}

/**
 * Forwards every request but drops every other reply, starting with the first, so that the request still takes effect.
 */
export async function startLossyProxy(target: string): Promise<LossyProxy> {
  let forwarded = 0;
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const onward = forward(`${target}${url}`, { method, headers }, (reply) => {
      forwarded += 1;
      if (forwarded % 2 === 0) return reply.pipe(outgoing.writeHead(reply.statusCode ?? 0, reply.headers));
      reply.resume().on('end', () => outgoing.destroy());
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardedCount: () => forwarded,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
