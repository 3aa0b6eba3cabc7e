import { createHmac } from 'node:crypto';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';

/** A link to one question, for one person. Whoever holds it may answer as them: it is as good as a key to that question. */
export interface AnswerLinkClaims {
  conversation: string;
  question: string;
  person: string;
  /** The question's deadline. */
  until: number | null;
  /** Who gave it out, being one who may answer; nobody by name where there are no keys. Otherwise the person has to be one. */
  granted: { by: string | null } | null;
}

/** It stands in web addresses, so it must be sent to nobody but that person, and never be logged. */
export function createAnswerLinkToken(secret: string, link: AnswerLinkClaims): string {
  const { conversation, question, person, until, granted } = link;
  const body = Buffer.from(JSON.stringify([conversation, question, person, until, granted && [granted.by]])).toString(
    'base64url',
  );
  return `${body}.${signAnswerLink(secret, body)}`;
}

/** Nothing where it is not one of ours, word for word: whatever is wrong with it, and it never throws. */
export function verifyAnswerLinkToken(secret: string, token: string): AnswerLinkClaims | undefined {
  const [body = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isTimingSafeEqual(signature, signAnswerLink(secret, body))) return undefined;
  return parseAnswerLink(body);
}

function parseAnswerLink(body: string): AnswerLinkClaims | undefined {
  try {
    const [conversation, question, person, until, granted] = JSON.parse(Buffer.from(body, 'base64url').toString());
    const isOne = [conversation, question, person].every((part) => typeof part === 'string');
    if (!isOne || !(until === null || Number.isFinite(until))) return undefined;
    return { conversation, question, person, until, granted: granted && { by: granted[0] } };
  } catch {
    return undefined;
  }
}

/** Where the page of a link is. */
export function buildAnswerLinkUrl(base: string, token: string): string {
  return `${base}/a/${token}`;
}

function signAnswerLink(secret: string, body: string): string {
  return createHmac('sha256', secret).update(`link\n${body}`).digest('base64url');
}
