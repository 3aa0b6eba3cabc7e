import { type ReadReply, readReply } from '#signing/reply';
import type { Incoming } from './read-mail';

const RECIPIENTS = [
  'to',
  'cc',
  'bcc',
  'delivered-to',
  'x-delivered-to',
  'x-original-to',
  'x-envelope-to',
  'envelope-to',
  'x-rcpt-to',
  'x-forwarded-to',
  'resent-to',
  'apparently-to',
];
const THREAD = ['in-reply-to', 'references'];

const IN_ADDRESS = /\+([a-z2-7]{30,300})@/gi;
const IN_ID = /<([a-z2-7]{30,300})\.[a-z2-7]{16}@/gi;
const IN_TEXT = /\[parley:([a-z2-7]{30,300})\]/gi;

/** A mail with more of them is none that anybody wrote. */
const LOOKED_AT = 50;

export interface Found {
  /** Each once. */
  tokens: string[];
  genuine: { token: string; reply: ReadReply }[];
}

/** What it is a reply to: by the address, by the thread, or by what is quoted, since mail programs drop one or the other. */
export function findTokens({ header, text }: Incoming, secret: string): Found {
  const within = (names: string[], pattern: RegExp) =>
    names.flatMap((name) => header(name).flatMap((value) => matched(value, pattern)));
  const written = [
    ...within(RECIPIENTS, IN_ADDRESS),
    ...within(THREAD, IN_ID),
    ...matched(text.slice(0, 200_000), IN_TEXT),
  ];
  const tokens = [...new Set(written)].slice(0, LOOKED_AT);
  const genuine = tokens.flatMap((token) => {
    const reply = readReply(secret, token);
    return reply ? [{ token, reply }] : [];
  });
  return { tokens, genuine };
}

/** Did Parley send it? Then it went round in a circle. */
export function isOwnMail({ messageId = '' }: Incoming, secret: string): boolean {
  return matched(messageId, IN_ID).some((token) => readReply(secret, token) !== undefined);
}

function matched(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, token = '']) => token.toLowerCase());
}
