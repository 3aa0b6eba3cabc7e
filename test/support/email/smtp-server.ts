import type { AddressInfo, Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface ReceivedEmail extends ParsedMail {
  raw: string;
}

/** How the server responds. `cut`: it stores the email and closes the connection without confirming it. */
export interface SmtpBehaviour {
  login?: number;
  recipient?: number;
  message?: number | 'cut';
}

export interface FakeSmtpServer {
  /** Value for PARLEY_SMTP_URL. */
  url: string;
  emails: ReceivedEmail[];
  behaviour: SmtpBehaviour;
  /** Resolves with the first email that matches. */
  waitForEmail(matches: (mail: ReceivedEmail) => boolean): Promise<ReceivedEmail>;
  /** Resolves with the emails to that address once there are `count`. */
  waitForEmailsTo(address: string, count: number): Promise<ReceivedEmail[]>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export const SMTP_LOGIN = { user: 'parley', password: 'p%40ss word/1' };

/** Starts an SMTP server on this machine that records the emails it accepts. */
export async function startFakeSmtpServer(): Promise<FakeSmtpServer> {
  const waiters: (() => void)[] = [];
  let port = 0;
  const notifyWaiters = () => {
    for (const one of waiters.splice(0)) one();
  };
  const nextEmail = () => new Promise<void>((resolve) => waiters.push(resolve));
  let running: { server: SMTPServer; sockets: Set<Socket> } | undefined;

  const self: FakeSmtpServer = {
    url: '',
    emails: [],
    behaviour: {},
    async waitForEmail(matches) {
      for (;;) {
        const found = self.emails.find(matches);
        if (found) return found;
        await nextEmail();
      }
    },
    async waitForEmailsTo(address, count) {
      for (;;) {
        const found = self.emails.filter((mail) => firstRecipient(mail) === address);
        if (found.length >= count) return found;
        await nextEmail();
      }
    },
    async stop() {
      const { server, sockets } = running ?? {};
      running = undefined;
      await new Promise<void>((resolve) => {
        server?.close(resolve);
        for (const socket of sockets ?? []) socket.destroy();
      });
    },
    async start() {
      const sockets = new Set<Socket>();
      const server = createSmtpServer(self, sockets, notifyWaiters);
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
      port = (server.server.address() as AddressInfo).port;
      const password = encodeURIComponent(SMTP_LOGIN.password);
      self.url = `smtp://${SMTP_LOGIN.user}:${password}@127.0.0.1:${port}/?requireTLS=false`;
      running = { server, sockets };
    },
  };
  await self.start();
  return self;
}

export function firstRecipient({ to }: ParsedMail): string | undefined {
  return [to].flat()[0]?.value[0]?.address;
}

function createSmtpError(code: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode: code });
}

function createSmtpServer(
  { behaviour, emails }: FakeSmtpServer,
  sockets: Set<Socket>,
  notifyWaiters: () => void,
): SMTPServer {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (behaviour.login) return done(createSmtpError(behaviour.login, `no entry for ${username} with ${password}`));
      const isRight = username === SMTP_LOGIN.user && password === SMTP_LOGIN.password;
      return isRight ? done(null, { user: username }) : done(createSmtpError(535, 'wrong password'));
    },
    onRcptTo(_address, _session, done) {
      return behaviour.recipient ? done(createSmtpError(behaviour.recipient, 'no such mailbox')) : done();
    },
    onData(stream, _session, done) {
      const { message } = behaviour;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        void (async () => {
          if (typeof message === 'number') return done(createSmtpError(message, 'not now'));
          const raw = Buffer.concat(chunks);
          emails.push({ ...(await simpleParser(raw, { skipTextToHtml: true })), raw: raw.toString() });
          if (message === 'cut') for (const socket of sockets) socket.destroy();
          else done();
          notifyWaiters();
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
