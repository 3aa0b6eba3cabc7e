import { errorFrom, needsSomebody, ParleyError, unexpected, unreachable } from './parley-error';
import type { Settings } from './settings';
import { pause, waitMs } from './waiting';

export interface ReadOptions {
  signal?: AbortSignal;
}

export interface WriteOptions extends ReadOptions {
  /** The same key and body have one effect, however often they are sent; made up where none is given. */
  idempotencyKey?: string;
}

export type Query = Record<string, string | number | boolean | undefined>;

/** The parts of a path below /v1, not yet encoded. */
export type Path = string[];

export async function read<T>(
  settings: Settings,
  path: Path,
  query: Query = {},
  signal?: AbortSignal,
): Promise<T> {
  return send(settings, urlOf(settings, path, query), { headers: headersOf(settings), signal });
}

export async function write<T>(
  settings: Settings,
  path: Path,
  body: object,
  options: WriteOptions = {},
): Promise<T> {
  const own = { 'content-type': 'application/json', ...ownOf(settings, options) };
  return send(settings, urlOf(settings, path), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: headersOf(settings, own),
    signal: options.signal,
  });
}

export async function remove<T>(
  settings: Settings,
  path: Path,
  query: Query,
  options: WriteOptions = {},
): Promise<T> {
  return send(settings, urlOf(settings, path, query), {
    method: 'DELETE',
    headers: headersOf(settings, ownOf(settings, options)),
    signal: options.signal,
  });
}

/** What goes with everything that changes something. */
function ownOf({ channel }: Settings, { idempotencyKey = newKey() }: WriteOptions): Record<string, string> {
  return { 'idempotency-key': idempotencyKey, ...(channel ? { 'x-parley-channel': channel } : {}) };
}

/** Sends the same again, key and all, while the trouble is one that passes. */
async function send<T>(settings: Settings, url: string, init: RequestInit): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await json(settings, await respond(settings, url, init), init);
    } catch (error) {
      if (failures >= settings.retries || !isWorthRetrying(error)) throw error;
      await pause(waitMs(settings.timing, failures, error.retryAfterMs), init.signal ?? undefined);
    }
  }
}

function isWorthRetrying(error: unknown): error is ParleyError {
  if (!(error instanceof ParleyError) || needsSomebody(error)) return false;
  return error.code === 'network' || error.status === 429 || error.status === 503;
}

/** One try. An abort is thrown as the caller gave it, everything else as a ParleyError. */
export async function respond(settings: Settings, url: string, init: RequestInit): Promise<Response> {
  const response = await settings.fetch(url, init).catch(broken(settings, init));
  if (response.ok) return response;
  throw await errorFrom(response);
}

async function json<T>(settings: Settings, response: Response, init: RequestInit): Promise<T> {
  const text = await response.text().catch(broken(settings, init));
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(response);
  }
}

/** For what comes over the network, where it does not. */
export function broken({ url }: Settings, { signal, method }: RequestInit) {
  return (cause: unknown): never => {
    signal?.throwIfAborted();
    throw unreachable(url, cause, method !== undefined && method !== 'GET');
  };
}

export function urlOf({ url }: Settings, path: Path, query: Query = {}): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value));
  return [`${url}/v1/${path.map(segment).join('/')}`, String(asked)].filter(Boolean).join('?');
}

/** Encoded or not, these would lead to another path than the one meant. */
function segment(part: string): string {
  if (/^\.{0,2}$/.test(part))
    throw new ParleyError('invalid_request', `${JSON.stringify(part)} is not an id: nothing was sent.`);
  return encodeURIComponent(part);
}

export function headersOf({ key }: Settings, own: Record<string, string> = {}): Headers {
  // A header could not hold it, and would say so in words that nobody understands.
  if (key !== undefined && !/^[!-~]*$/.test(key))
    throw new ParleyError(
      'unauthenticated',
      'The key has blanks or letters in it that no key has: nothing was sent.',
    );
  return new Headers(key === undefined ? own : { authorization: `Bearer ${key}`, ...own });
}

/** Not randomUUID, which browsers have on https and localhost only. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
