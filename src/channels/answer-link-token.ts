import { createHmac } from 'node:crypto';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';

/**
 * What an answer link grants: one person, one question. Anyone with the link may answer as that person, as with a key.
 */
export interface AnswerLinkClaims {
  conversationId: string;
  questionId: string;
  person: string;
  /** The question's deadline, in milliseconds. */
  expiresAt: number | null;
  /**
   * Who created the link on behalf of another person; `by` is null if there are no API keys. Without a grant, the
   * person must be allowed to answer.
   */
  grant: { by: string | null } | null;
}

/** Creates a token, which is a credential in a URL: send it only to that person, and never log it. */
export function createAnswerLinkToken(secret: string, claims: AnswerLinkClaims): string {
  const { conversationId, questionId, person, expiresAt, grant } = claims;
  const body = Buffer.from(
    JSON.stringify([conversationId, questionId, person, expiresAt, grant && [grant.by]]),
  ).toString('base64url');
  return `${body}.${signAnswerLink(secret, body)}`;
}

/** Returns `undefined` for any token that Parley did not sign. Never throws. */
export function verifyAnswerLinkToken(secret: string, token: string): AnswerLinkClaims | undefined {
  const [body = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isTimingSafeEqual(signature, signAnswerLink(secret, body))) return undefined;
  const [conversationId, questionId, person, expiresAt, grant] = JSON.parse(Buffer.from(body, 'base64url').toString());
  return { conversationId, questionId, person, expiresAt, grant: grant && { by: grant[0] } };
}

/** Returns the URL of the answer page. */
export function buildAnswerLinkUrl(base: string, token: string): string {
  return `${base}/a/${token}`;
}

function signAnswerLink(secret: string, body: string): string {
  return createHmac('sha256', secret).update(`link\n${body}`).digest('base64url');
}
