import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LossyProxy {
  url: string;
  /** How many requests went through. */
  forwardedCount(): number;
  stop(): Promise<void>;
}

/** Hands every request on, and loses every other reply, beginning with the first: what was asked for is done. */
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
