import { createHmac } from 'node:crypto';
import { ApiError } from '#api/middleware/errors';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';

/** The position of the next page. */
export interface PaginationCursor {
  token?: string;
  after?: string;
}

export function nextCursor(secret: string, scope: string, token: Buffer): string | null {
  return token.length > 0 ? signCursor(secret, scope, { token: token.toString('base64') }) : null;
}

/** Signs a cursor together with its filters, so that it is refused if altered or used with other filters. */
export function signCursor(secret: string, scope: string, cursor: PaginationCursor): string {
  const body = Buffer.from(JSON.stringify(cursor)).toString('base64url');
  return `${body}.${sign(secret, scope, body)}`;
}

export function verifyCursor(secret: string, cursor: string | undefined, scope: string): PaginationCursor | undefined {
  if (cursor === undefined) return undefined;
  const [body = '', signature = ''] = cursor.split('.');
  if (isTimingSafeEqual(signature, sign(secret, scope, body))) {
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as PaginationCursor;
  }
  const message = 'must be the nextCursor of a page with the same filters';
  throw new ApiError('invalid_request', `Invalid request. cursor: ${message}`, {
    errors: [{ path: 'cursor', message }],
  });
}

function sign(secret: string, scope: string, body: string): string {
  return createHmac('sha256', secret).update(`${scope}\n${body}`).digest('base64url').slice(0, 22);
}
