import { createHmac } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import type { ApiKey } from '#contract/permissions';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';
import { ApiError } from './errors';

/** By that prefix a browser takes it from this very host alone, and from no other of the same site that would sign people in as somebody else. */
const nameFor = (url: string) => (isSecure(url) ? '__Host-parley_session' : 'parley_session');
const isSecure = (url: string) => url.startsWith('https:');
const LIFE_MS = 30 * 86_400_000;

/** A cookie that stands for a key: which one, until when, and that we said so. It dies with the key. */
export function openSession({ secret, url, now }: ApiDeps, key: ApiKey, response: Response): void {
  const body = `${idOf(key)}.${now() + LIFE_MS}`;
  setCookie(response, `${body}.${sign(secret, body)}`, LIFE_MS, url);
}

function idOf({ hash }: ApiKey): string {
  return hash.slice(0, 32);
}

export function closeSession({ url }: ApiDeps, response: Response): void {
  setCookie(response, '', 0, url);
}

function setCookie(response: Response, value: string, maxAge: number, url: string): void {
  const secure = isSecure(url);
  response.cookie(nameFor(url), value, { maxAge, secure, httpOnly: true, sameSite: 'strict', path: '/' });
}

export function readSession(
  request: Request,
  keys: readonly ApiKey[],
  { secret, url, uiOrigins, now }: Pick<ApiDeps, 'secret' | 'url' | 'uiOrigins' | 'now'>,
): ApiKey | undefined {
  const cookie = new RegExp(`(?:^|; *)${nameFor(url)}=([\\w.-]+)`).exec(request.get('cookie') ?? '')?.[1];
  const [id = '', until = '', signature = ''] = cookie?.split('.') ?? [];
  if (!isTimingSafeEqual(signature, sign(secret, `${id}.${until}`))) return undefined;
  if (!(Number(until) > now())) return undefined;
  if (!isUiDecoding(request, uiOrigins)) refuseOtherSites(request, url);
  return keys.find((key) => idOf(key) === id);
}

/** The Temporal UI shows what is encrypted to those who are signed in here, where it may send the cookie along. */
function isUiDecoding(request: Request, uiOrigins: readonly string[]): boolean {
  const isCodec = request.path === '/codec/decode' || request.path === '/codec/encode';
  return request.method === 'POST' && isCodec && uiOrigins.includes(request.get('origin') ?? '');
}

/**
 * A cookie comes along with whatever a browser sends; SameSite keeps other sites out, and this those that share ours. A
 * proxy may call us by another name than people do.
 */
function refuseOtherSites(request: Request, url: string): void {
  const origin = request.get('origin');
  const isOurs =
    origin === undefined ||
    origin === new URL(url).origin ||
    (URL.canParse(origin) && new URL(origin).host === request.get('host'));
  const site = request.get('sec-fetch-site') ?? 'same-origin';
  if (isOurs && (site === 'same-origin' || site === 'none' || request.method === 'GET')) return;
  throw new ApiError('forbidden', 'The cookie of the web app is for the web app only. Other programs send a key.');
}

function sign(secret: string, body: string): string {
  return createHmac('sha256', secret).update(`session\n${body}`).digest('base64url');
}
