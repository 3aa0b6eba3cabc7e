import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that can cut the connection to a server. */
export interface TcpProxy {
  url: string;
  /** Drops all connections and rejects new ones. */
  cut(): void;
  /** Forwards requests but drops the replies. */
  loseReplies(): void;
  restore(): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  let state: 'whole' | 'cut' | 'mute' = 'whole';
  const sockets = new Set<Socket>();
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (state === 'cut') return client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      const drop = () => {
        client.destroy();
        upstream.destroy();
        sockets.delete(socket);
      };
      socket.on('error', drop).on('close', drop);
    }
    client.pipe(upstream);
    upstream.on('data', (data) => {
      if (state === 'whole') client.write(data);
      else client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      state = 'cut';
      dropAll();
    },
    loseReplies() {
      state = 'mute';
      dropAll();
    },
    restore() {
      state = 'whole';
    },
    async stop() {
      dropAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Forwards TCP while the server is up, so that its address stays the same across restarts. */
export async function startSwitchableTcpProxy(): Promise<{
  port: number;
  open(to: number): void;
  shut(): void;
  close(): void;
}> {
  let target: number | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (target === undefined) return client.destroy();
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => void [client.destroy(), upstream.destroy()]);
    }
    client.pipe(upstream).pipe(client);
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
