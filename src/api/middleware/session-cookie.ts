import { createHmac } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import type { ApiKey } from '#contract/permissions';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';
import { ApiError } from './errors';

/**
 * With the __Host- prefix a browser accepts the cookie from this host only, so that another host of the site cannot
 * sign users in under a different key.
 */
const cookieName = (url: string) => (isSecure(url) ? '__Host-parley_session' : 'parley_session');
const isSecure = (url: string) => url.startsWith('https:');
const SESSION_LIFETIME_MS = 30 * 86_400_000;

/** Sets a signed cookie with the key's id and an expiry time. It is only valid while the key is. */
export function openSession({ secret, url, now }: ApiDeps, key: ApiKey, response: Response): void {
  const body = `${keyId(key)}.${now() + SESSION_LIFETIME_MS}`;
  setCookie(response, `${body}.${sign(secret, body)}`, SESSION_LIFETIME_MS, url);
}

function keyId({ hash }: ApiKey): string {
  return hash.slice(0, 32);
}

export function closeSession({ url }: ApiDeps, response: Response): void {
  setCookie(response, '', 0, url);
}

function setCookie(response: Response, value: string, maxAge: number, url: string): void {
  const secure = isSecure(url);
  response.cookie(cookieName(url), value, { maxAge, secure, httpOnly: true, sameSite: 'strict', path: '/' });
}

export function readSession(
  request: Request,
  keys: readonly ApiKey[],
  { secret, url, uiOrigins, now }: Pick<ApiDeps, 'secret' | 'url' | 'uiOrigins' | 'now'>,
): ApiKey | undefined {
  const cookie = new RegExp(`(?:^|; *)${cookieName(url)}=([\\w.-]+)`).exec(request.get('cookie') ?? '')?.[1];
  const [id = '', expiresAt = '', signature = ''] = cookie?.split('.') ?? [];
  if (!isTimingSafeEqual(signature, sign(secret, `${id}.${expiresAt}`))) return undefined;
  if (!(Number(expiresAt) > now())) return undefined;
  if (!isUiDecoding(request, uiOrigins)) rejectCrossSite(request, url);
  return keys.find((key) => keyId(key) === id);
}

/** The Temporal UI decodes payloads for users who are signed in here, if its origin may send the cookie. */
function isUiDecoding(request: Request, uiOrigins: readonly string[]): boolean {
  const isCodec = request.path === '/codec/decode' || request.path === '/codec/encode';
  return request.method === 'POST' && isCodec && uiOrigins.includes(request.get('origin') ?? '');
}

/**
 * Rejects cross-origin requests with a cookie. SameSite excludes other sites, and this check excludes other hosts of
 * the same site. The `Host` header is accepted too, as a proxy may use another host name than users do.
 */
function rejectCrossSite(request: Request, url: string): void {
  const origin = request.get('origin');
  const isSameOrigin =
    origin === undefined ||
    origin === new URL(url).origin ||
    (URL.canParse(origin) && new URL(origin).host === request.get('host'));
  const site = request.get('sec-fetch-site') ?? 'same-origin';
  if (isSameOrigin && (site === 'same-origin' || site === 'none' || request.method === 'GET')) return;
  throw new ApiError('forbidden', 'The session cookie is only valid for the web app. Use an API key instead.');
}

function sign(secret: string, body: string): string {
  return createHmac('sha256', secret).update(`session\n${body}`).digest('base64url');
}
