import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** As much of Redis as counts requests, by RESP on a real socket. Time passes there only when it is told to. */
export interface FakeRedis {
  url: string;
  counts: ReadonlyMap<string, number>;
  /** Every command it was sent, but for those that open a connection. */
  commands: string[][];
  /** Every key reaches its end. */
  expire(): void;
  /** Takes commands and answers none, until it is told to answer them after all. */
  hush(): void;
  speak(): void;
  /** Refuses what it is to queue, as one that has run out of memory does. */
  fail(message: string | undefined): void;
  /** Resolves when that many clients have opened a connection. */
  connected(count: number): Promise<void>;
  stop(): Promise<void>;
  /** On the same port as before. */
  start(): Promise<void>;
}

export async function startFakeRedis(): Promise<FakeRedis> {
  const counts = new Map<string, number>();
  const commands: string[][] = [];
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let unsaid: (() => void)[] | undefined;
  let trouble: string | undefined;
  let port = 0;
  let server: Server;

  function obey([name = '', key = '', ...rest]: string[]): string {
    if (name === 'SET') {
      if (rest.includes('NX') && counts.has(key)) return '_\r\n';
      counts.set(key, Number(rest[0]));
      return '+OK\r\n';
    }
    if (name === 'INCR') counts.set(key, (counts.get(key) ?? 0) + 1);
    if (name === 'INCR') return `:${counts.get(key)}\r\n`;
    if (name === 'PTTL') return counts.has(key) ? ':800\r\n' : ':-2\r\n';
    return `-ERR unknown command '${name}'\r\n`;
  }

  /** One connection: what it asks for between MULTI and EXEC is done at once. */
  function session(reply: (text: string) => void): (command: string[]) => void {
    let queue: string[][] | undefined;
    const queued = (command: string[]) => {
      if (!trouble) queue?.push(command);
      return trouble ? `-${trouble}\r\n` : '+QUEUED\r\n';
    };
    return (command) => {
      const name = command[0]?.toUpperCase() ?? '';
      if (name === 'HELLO') return reply('%2\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n');
      if (name === 'CLIENT') return reply('+OK\r\n');
      commands.push(command);
      if (name === 'MULTI') {
        queue = [];
        return reply('+OK\r\n');
      }
      if (name !== 'EXEC') return reply(queue ? queued(command) : obey(command));
      const done = (queue ?? []).map(obey);
      queue = undefined;
      if (trouble) return reply('-EXECABORT Transaction discarded because of previous errors.\r\n');
      reply(`*${done.length}\r\n${done.join('')}`);
    };
  }

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    const say = (text: string) => void (unsaid ? unsaid.push(() => socket.write(text)) : socket.write(text));
    const hear = session(say);
    let heard = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      heard = Buffer.concat([heard, chunk]);
      for (let read = parseRespCommand(heard); read; read = parseRespCommand(heard)) {
        heard = heard.subarray(read.end);
        hear(read.command);
        if (read.command[0] === 'HELLO') for (const wake of waiting.splice(0)) wake();
      }
    });
  }

  const self: FakeRedis = {
    url: '',
    counts,
    commands,
    expire: () => counts.clear(),
    hush: () => {
      unsaid = [];
    },
    speak: () => {
      const said = unsaid ?? [];
      unsaid = undefined;
      for (const say of said) say();
    },
    fail: (message) => {
      trouble = message;
    },
    async connected(count) {
      while (sockets.size < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async start() {
      server = createServer(serve).listen(port, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    },
  };
  await self.start();
  return Object.assign(self, { url: `redis://127.0.0.1:${port}` });
}

/** `*2\r\n$4\r\nINCR\r\n$1\r\na\r\n`, where it has come whole. */
function parseRespCommand(bytes: Buffer): { command: string[]; end: number } | undefined {
  let at = 0;
  const line = (): string | undefined => {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const text = bytes.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  const count = Number(line()?.slice(1) ?? Number.NaN);
  if (Number.isNaN(count)) return undefined;
  const command: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const length = Number(line()?.slice(1) ?? Number.NaN);
    if (Number.isNaN(length) || bytes.length < at + length + 2) return undefined;
    command.push(bytes.toString('utf8', at, at + length));
    at += length + 2;
  }
  return { command, end: at };
}
