import { type VerifiedReplyToken, verifyReplyToken } from '#channels/email/reply-token';
import type { IncomingEmail } from './parse-email';

const RECIPIENT_HEADERS = [
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
const THREAD_HEADERS = ['in-reply-to', 'references'];

const TOKEN_IN_ADDRESS = /\+([0-9a-v]{30,300})@/gi;
const TOKEN_IN_MESSAGE_ID = /<([0-9a-v]{30,300})\.[0-9a-f]{20}@/gi;
const TOKEN_IN_TEXT = /\[parley:([0-9a-v]{30,300})\]/gi;

/** No genuine reply contains more. */
const MAX_TOKENS = 50;

export interface ReplyTokens {
  /** Distinct candidates. */
  tokens: string[];
  verified: { token: string; claims: VerifiedReplyToken }[];
}

/**
 * Finds reply tokens in the recipient address, the thread headers and the quoted text, since mail programs drop one or
 * the other.
 */
export function findReplyTokens({ header, text }: IncomingEmail, secret: string): ReplyTokens {
  const findIn = (names: string[], pattern: RegExp) =>
    names.flatMap((name) => header(name).flatMap((value) => findMatches(value, pattern)));
  const candidates = [
    ...findIn(RECIPIENT_HEADERS, TOKEN_IN_ADDRESS),
    ...findIn(THREAD_HEADERS, TOKEN_IN_MESSAGE_ID),
    ...findMatches(text, TOKEN_IN_TEXT),
  ];
  return verifyTokens(candidates, secret);
}

/** Tokens are in the headers, or in a quote that is not far below. */
const SEARCHED_BYTES = 256 * 1024;
const BASE64_LINES = /^(?:[A-Za-z0-9+/]{60,80}\r?\n)+(?:[A-Za-z0-9+/]+={0,2})?/gm;

/** Finds tokens before the email is parsed, which takes far longer, so that only genuine ones get there. */
export function findTokensInRaw(raw: Buffer, secret: string): ReplyTokens {
  const head = raw.toString('latin1', 0, SEARCHED_BYTES);
  const decoded = (head.match(BASE64_LINES) ?? []).map((lines) => Buffer.from(lines, 'base64').toString('latin1'));
  const text = [head.replace(/=\r?\n/g, ''), ...decoded].join('\n');
  return verifyTokens(
    [TOKEN_IN_ADDRESS, TOKEN_IN_MESSAGE_ID, TOKEN_IN_TEXT].flatMap((pattern) => findMatches(text, pattern)),
    secret,
  );
}

function verifyTokens(candidates: string[], secret: string): ReplyTokens {
  const tokens = [...new Set(candidates)].slice(0, MAX_TOKENS);
  const verified = tokens.flatMap((token) => {
    const claims = verifyReplyToken(secret, token);
    return claims ? [{ token, claims }] : [];
  });
  return { tokens, verified };
}

/** Returns whether Parley sent the email itself, which means a mail loop. */
export function isSentByParley({ messageId = '' }: IncomingEmail, secret: string): boolean {
  return findMatches(messageId, TOKEN_IN_MESSAGE_ID).some((token) => verifyReplyToken(secret, token) !== undefined);
}

function findMatches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, token = '']) => token.toLowerCase());
}
