import { connect, createServer, type Socket } from 'node:net';

/** Hands TCP through to the server while it is up: the address stays, as it does for a real one. */
export async function door(): Promise<{ port: number; open(to: number): void; shut(): void; close(): void }> {
  let target: number | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    if (target === undefined) return inside.destroy();
    const outside = connect(target, '127.0.0.1');
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket
        .on('error', () => socket.destroy())
        .on('close', () => void [inside.destroy(), outside.destroy()]);
    }
    inside.pipe(outside).pipe(inside);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const shut = () => {
    target = undefined;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    open: (to) => {
      target = to;
    },
    shut,
    close: () => {
      shut();
      server.close();
    },
  };
}
