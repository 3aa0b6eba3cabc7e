import { randomBytes } from 'node:crypto';
import type { Taken } from '#api/email/taken';
import { LOGIN, type MailServer, mailServer, type Received } from './mail';
import { type Parley, parley, type Settings } from './parley';

export const INBOUND = 'an-inbound-secret-for-tests';
export const MARIA = 'maria@example.com';
export const JONAS = 'jonas@example.com';

export interface Mailing {
  p: Parley;
  server: MailServer;
  /** Asks maria something by mail, and gives what she got. */
  ask(more?: object): Promise<Asked>;
  hand(raw: string | Buffer, headers?: Record<string, string>): Promise<{ status: number; body: Taken }>;
  stop(): Promise<void>;
}

export interface Asked {
  id: string;
  mail: Received;
  token: string;
}

/** A whole Parley that asks by mail, and takes replies. */
export async function mailing(settings: Settings = {}): Promise<Mailing> {
  const server = await mailServer();
  const p = await parley({
    keys: {
      owner: ['conversations:write', 'conversations:read', 'questions:answer'],
      maria: ['questions:answer'],
      jonas: ['questions:answer'],
    },
    policy: `questions: { notify: ["email:${MARIA}"] }`,
    ...settings,
    env: {
      PARLEY_SMTP_URL: server.url,
      PARLEY_EMAIL_FROM: 'Parley <parley@example.com>',
      PARLEY_EMAIL_REPLY_TO: 'reply@in.example.com',
      PARLEY_EMAIL_SECRET: INBOUND,
      PARLEY_PEOPLE: `maria=${MARIA},maria@home.example jonas=${JONAS}`,
      ...settings.env,
    },
  });
  return {
    p,
    server,
    async ask(more = {}) {
      const id = await p.start('Paint the house', { assignees: ['maria'], ...more });
      await p.question(id);
      const mail = await server.until((one) => isOf(one, id));
      return { id, mail, token: tokenIn(mail) };
    },
    async hand(raw, headers = {}) {
      const response = await fetch(`${p.url}/email/inbound`, {
        method: 'POST',
        headers: { authorization: `Bearer ${INBOUND}`, 'content-type': 'message/rfc822', ...headers },
        body: typeof raw === 'string' ? raw : new Uint8Array(raw),
      });
      return { status: response.status, body: (await response.json()) as Taken };
    },
    async stop() {
      await p.stop();
      await server.down();
    },
  };
}

/** The link of a mail says which conversation it is of. */
export function isOf(mail: Received, id: string): boolean {
  const [, link = ''] = /\/a\/([\w-]+)\./.exec(mail.text ?? '') ?? [];
  return Buffer.from(link, 'base64url').toString().includes(JSON.stringify(id));
}

export function tokenIn(mail: Received): string {
  return /\[parley:([a-z2-7]+)\]/.exec(mail.text ?? '')?.[1] ?? '';
}

export const SECRETS = [INBOUND, LOGIN.password, encodeURIComponent(LOGIN.password)];

export interface Written {
  from?: string;
  to?: string;
  subject?: string;
  /** Whole lines; what is `undefined` is left out. */
  headers?: (string | undefined)[];
  body?: string | Buffer;
}

let count = 0;

/** A mail as a program writes it. */
export function written({
  from = `Maria <${MARIA}>`,
  to,
  subject = 'Re: Which colour?',
  headers = [],
  body = '',
}: Written): Buffer {
  const lines = headers.filter((line) => line !== undefined);
  const named = (name: string) => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  count += 1;
  const head = [
    ...(from ? [`From: ${from}`] : []),
    `To: ${to ?? 'Parley <parley@example.com>'}`,
    `Subject: ${subject}`,
    'Date: Tue, 17 Nov 2026 10:00:00 +0000',
    ...(named('message-id') ? [] : [`Message-ID: <${count}.${randomBytes(6).toString('hex')}@mail.example>`]),
    ...lines,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body as string)]);
}

/** To the address that a mail asked for replies at. */
export function reply({ token }: { token: string }, body: string | Buffer, more: Written = {}): Buffer {
  return written({ to: `reply+${token}@in.example.com`, body, ...more });
}
