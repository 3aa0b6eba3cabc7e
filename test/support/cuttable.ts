import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be cut, as a cable can. */
export interface Cuttable {
  url: string;
  /** Nothing gets through, and what was under way is lost. */
  cut(): void;
  /** What is sent arrives, and whatever is said to it is lost. */
  loseReplies(): void;
  mend(): void;
  stop(): Promise<void>;
}

export async function cuttable(target: string): Promise<Cuttable> {
  const { hostname, port } = new URL(target);
  let state: 'whole' | 'cut' | 'mute' = 'whole';
  const sockets = new Set<Socket>();
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    if (state === 'cut') return near.destroy();
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      const drop = () => {
        near.destroy();
        far.destroy();
        sockets.delete(socket);
      };
      socket.on('error', drop).on('close', drop);
    }
    near.pipe(far);
    far.on('data', (said) => {
      if (state === 'whole') near.write(said);
      else near.destroy();
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
    mend() {
      state = 'whole';
    },
    async stop() {
      dropAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
