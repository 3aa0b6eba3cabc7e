import type { AddressInfo, Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface ReceivedEmail extends ParsedMail {
  raw: string;
}

/** How the server takes what comes. `cut`: it keeps the mail, and hangs up before it says so. */
export interface SmtpBehaviour {
  login?: number;
  recipient?: number;
  message?: number | 'cut';
}

export interface FakeSmtpServer {
  /** For PARLEY_SMTP_URL. */
  url: string;
  mails: ReceivedEmail[];
  manners: SmtpBehaviour;
  /** The first that matches, as soon as it is there. */
  until(matches: (mail: ReceivedEmail) => boolean): Promise<ReceivedEmail>;
  /** To that address, in order, once there are as many. */
  sentTo(address: string, count: number): Promise<ReceivedEmail[]>;
  down(): Promise<void>;
  up(): Promise<void>;
}

export const SMTP_LOGIN = { user: 'parley', password: 'p%40ss word/1' };

/** A real SMTP server on this machine, that keeps what it takes. */
export async function startFakeSmtpServer(): Promise<FakeSmtpServer> {
  const waiting: (() => void)[] = [];
  let port = 0;
  const wake = () => {
    for (const one of waiting.splice(0)) one();
  };
  const changed = () => new Promise<void>((resolve) => waiting.push(resolve));
  let current: { server: SMTPServer; sockets: Set<Socket> } | undefined;

  const self: FakeSmtpServer = {
    url: '',
    mails: [],
    manners: {},
    async until(matches) {
      for (;;) {
        const found = self.mails.find(matches);
        if (found) return found;
        await changed();
      }
    },
    async sentTo(address, count) {
      for (;;) {
        const found = self.mails.filter((mail) => firstRecipient(mail) === address);
        if (found.length >= count) return found;
        await changed();
      }
    },
    async down() {
      const { server, sockets } = current ?? {};
      current = undefined;
      await new Promise<void>((resolve) => {
        server?.close(resolve);
        for (const socket of sockets ?? []) socket.destroy();
      });
    },
    async up() {
      const sockets = new Set<Socket>();
      const server = createSmtpServer(self, sockets, wake);
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
      port = (server.server.address() as AddressInfo).port;
      const password = encodeURIComponent(SMTP_LOGIN.password);
      self.url = `smtp://${SMTP_LOGIN.user}:${password}@127.0.0.1:${port}`;
      current = { server, sockets };
    },
  };
  await self.up();
  return self;
}

export function firstRecipient({ to }: ParsedMail): string | undefined {
  return [to].flat()[0]?.value[0]?.address;
}

function createSmtpError(code: number, words: string): Error {
  return Object.assign(new Error(words), { responseCode: code });
}

function createSmtpServer({ manners, mails }: FakeSmtpServer, sockets: Set<Socket>, wake: () => void): SMTPServer {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (manners.login) return done(createSmtpError(manners.login, `no entry for ${username} with ${password}`));
      const isRight = username === SMTP_LOGIN.user && password === SMTP_LOGIN.password;
      return isRight ? done(null, { user: username }) : done(createSmtpError(535, 'wrong password'));
    },
    onRcptTo(_address, _session, done) {
      return manners.recipient ? done(createSmtpError(manners.recipient, 'no such mailbox')) : done();
    },
    onData(stream, _session, done) {
      const { message } = manners;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        void (async () => {
          if (typeof message === 'number') return done(createSmtpError(message, 'not now'));
          const raw = Buffer.concat(chunks);
          mails.push({ ...(await simpleParser(raw, { skipTextToHtml: true })), raw: raw.toString() });
          if (message === 'cut') for (const socket of sockets) socket.destroy();
          else done();
          wake();
        })();
      });
    },
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return server;
}
