import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** The subset of Redis that rate limits need, by RESP over a real socket. Keys only expire when the test says so. */
export interface FakeRedis {
  url: string;
  counts: ReadonlyMap<string, number>;
  /** All commands, except those that open a connection. */
  commands: string[][];
  /** Expires all keys. */
  expire(): void;
  /** Accepts commands but holds the replies back until `resumeReplies`. */
  pauseReplies(): void;
  resumeReplies(): void;
  /** Makes queued commands fail with that message, like a server without memory. */
  failCommands(message: string | undefined): void;
  /** Resolves when that many clients are connected. */
  waitForConnections(count: number): Promise<void>;
  stop(): Promise<void>;
  /** Starts it on the same port as before. */
  start(): Promise<void>;
}

export async function startFakeRedis(): Promise<FakeRedis> {
  const counts = new Map<string, number>();
  const commands: string[][] = [];
  const sockets = new Set<Socket>();
  const waiters: (() => void)[] = [];
  let heldReplies: (() => void)[] | undefined;
  let failure: string | undefined;
  let port = 0;
  let server: Server;

  function execute([name = '', key = '', ...rest]: string[]): string {
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

  /** Handles one connection. Commands between MULTI and EXEC run at once. */
  function createSession(reply: (text: string) => void): (command: string[]) => void {
    let queue: string[][] | undefined;
    const enqueue = (command: string[]) => {
      if (!failure) queue?.push(command);
      return failure ? `-${failure}\r\n` : '+QUEUED\r\n';
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
      if (name !== 'EXEC') return reply(queue ? enqueue(command) : execute(command));
      const results = (queue ?? []).map(execute);
      queue = undefined;
      if (failure) return reply('-EXECABORT Transaction discarded because of previous errors.\r\n');
      reply(`*${results.length}\r\n${results.join('')}`);
    };
  }

  function handleConnection(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    const reply = (text: string) =>
      void (heldReplies ? heldReplies.push(() => socket.write(text)) : socket.write(text));
    const handleCommand = createSession(reply);
    let buffered = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      buffered = Buffer.concat([buffered, chunk]);
      for (let parsed = parseRespCommand(buffered); parsed; parsed = parseRespCommand(buffered)) {
        buffered = buffered.subarray(parsed.end);
        handleCommand(parsed.command);
        if (parsed.command[0] === 'HELLO') for (const wake of waiters.splice(0)) wake();
      }
    });
  }

  const self: FakeRedis = {
    url: '',
    counts,
    commands,
    expire: () => counts.clear(),
    pauseReplies: () => {
      heldReplies = [];
    },
    resumeReplies: () => {
      const replies = heldReplies ?? [];
      heldReplies = undefined;
      for (const sendReply of replies) sendReply();
    },
    failCommands: (message) => {
      failure = message;
    },
    async waitForConnections(count) {
      while (sockets.size < count) await new Promise<void>((resolve) => waiters.push(resolve));
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async start() {
      server = createServer(handleConnection).listen(port, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    },
  };
  await self.start();
  return Object.assign(self, { url: `redis://127.0.0.1:${port}` });
}

/** Parses a complete command, such as `*2\r\n$4\r\nINCR\r\n$1\r\na\r\n`; `undefined` if it is incomplete. */
function parseRespCommand(bytes: Buffer): { command: string[]; end: number } | undefined {
  let offset = 0;
  const readLine = (): string | undefined => {
    const end = bytes.indexOf('\r\n', offset);
    if (end < 0) return undefined;
    const text = bytes.toString('latin1', offset, end);
    offset = end + 2;
    return text;
  };
  const count = Number(readLine()?.slice(1) ?? Number.NaN);
  if (Number.isNaN(count)) return undefined;
  const command: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const length = Number(readLine()?.slice(1) ?? Number.NaN);
    if (Number.isNaN(length) || bytes.length < offset + length + 2) return undefined;
    command.push(bytes.toString('utf8', offset, offset + length));
    offset += length + 2;
  }
  return { command, end: offset };
}
