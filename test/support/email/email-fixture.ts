import { randomBytes } from 'node:crypto';
import type { InboundEmailResult } from '#channels/email/inbound/submit-reply';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { type FakeSmtpServer, type ReceivedEmail, SMTP_LOGIN, startFakeSmtpServer } from './smtp-server';

export const INBOUND_EMAIL_SECRET = 'an-inbound-secret-for-tests';
export const MARIA_EMAIL = 'maria@example.com';
export const JONAS_EMAIL = 'jonas@example.com';

export interface EmailFixture {
  p: TestParley;
  server: FakeSmtpServer;
  /** Asks maria a question by email and returns the email she received. */
  askByEmail(more?: object): Promise<EmailedQuestion>;
  postInbound(
    raw: string | Buffer,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: InboundEmailResult }>;
  stop(): Promise<void>;
}

export interface EmailedQuestion {
  conversationId: string;
  email: ReceivedEmail;
  token: string;
}

/** Starts a Parley that asks by email and accepts replies. */
export async function createEmailFixture(settings: TestParleySettings = {}): Promise<EmailFixture> {
  const server = await startFakeSmtpServer();
  const p = await startParley({
    keys: {
      owner: ['conversations:write', 'conversations:read', 'questions:answer'],
      maria: ['questions:answer'],
      jonas: ['questions:answer'],
    },
    frontMatter: `questions: { notify: ["email:${MARIA_EMAIL}"] }`,
    ...settings,
    env: {
      PARLEY_SMTP_URL: server.url,
      PARLEY_EMAIL_FROM: 'Parley <parley@example.com>',
      PARLEY_EMAIL_REPLY_TO: 'reply@in.example.com',
      PARLEY_EMAIL_SECRET: INBOUND_EMAIL_SECRET,
      PARLEY_PEOPLE: `maria=${MARIA_EMAIL},maria@home.example jonas=${JONAS_EMAIL}`,
      ...settings.env,
    },
  });
  return {
    p,
    server,
    async askByEmail(more = {}) {
      const id = await p.startConversation('Paint the house', { assignees: ['maria'], ...more });
      await p.waitForQuestion(id);
      const email = await server.waitForEmail((one) => isEmailAbout(one, id));
      return { conversationId: id, email, token: findEmailToken(email) };
    },
    async postInbound(raw, headers = {}) {
      const response = await fetch(`${p.url}/email/inbound`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${INBOUND_EMAIL_SECRET}`,
          'content-type': 'message/rfc822',
          ...headers,
        },
        body: typeof raw === 'string' ? raw : new Uint8Array(raw),
      });
      return { status: response.status, body: (await response.json()) as InboundEmailResult };
    },
    async stop() {
      await p.stop();
      await server.stop();
    },
  };
}

/** Whether the email is about that conversation, judging by its link. */
export function isEmailAbout(email: ReceivedEmail, conversationId: string): boolean {
  const [, payload = ''] = /\/a\/([\w-]+)\./.exec(email.text ?? '') ?? [];
  return Buffer.from(payload, 'base64url').toString().includes(JSON.stringify(conversationId));
}

export function findEmailToken(email: ReceivedEmail): string {
  return /\[parley:([0-9a-v]+)\]/.exec(email.text ?? '')?.[1] ?? '';
}

export const EMAIL_SECRETS = [INBOUND_EMAIL_SECRET, SMTP_LOGIN.password, encodeURIComponent(SMTP_LOGIN.password)];

export interface RawEmailOptions {
  from?: string;
  to?: string;
  subject?: string;
  /** Whole lines; `undefined` ones are omitted. */
  headers?: (string | undefined)[];
  body?: string | Buffer;
}

let emailCount = 0;

/** Writes an email as a mail program would. */
export function writeRawEmail({
  from = `Maria <${MARIA_EMAIL}>`,
  to,
  subject = 'Re: Which colour?',
  headers = [],
  body = '',
}: RawEmailOptions): Buffer {
  const lines = headers.filter((line) => line !== undefined);
  const hasHeader = (name: string) => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  emailCount += 1;
  const headerLines = [
    ...(from ? [`From: ${from}`] : []),
    `To: ${to ?? 'Parley <parley@example.com>'}`,
    `Subject: ${subject}`,
    'Date: Tue, 17 Nov 2026 10:00:00 +0000',
    ...(hasHeader('message-id') ? [] : [`Message-ID: <${emailCount}.${randomBytes(6).toString('hex')}@mail.example>`]),
    ...lines,
  ];
  return Buffer.concat([Buffer.from(`${headerLines.join('\r\n')}\r\n\r\n`), Buffer.from(body as string)]);
}

/** Writes a reply to the reply address of an email. */
export function writeRawReply({ token }: { token: string }, body: string | Buffer, more: RawEmailOptions = {}): Buffer {
  return writeRawEmail({ to: `reply+${token}@in.example.com`, body, ...more });
}
