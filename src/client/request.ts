import { backoffDelayMs, sleepUnlessAborted } from './backoff';
import type { ClientSettings } from './options';
import {
  createNetworkError,
  createUnexpectedResponseError,
  isOperatorActionNeeded,
  ParleyError,
  parseErrorResponse,
} from './parley-error';

export interface ReadOptions {
  signal?: AbortSignal;
}

export interface WriteOptions extends ReadOptions {
  /** Requests with the same key and body have one effect, however often they are sent. Generated if absent. */
  idempotencyKey?: string;
}

export type QueryParameters = Record<string, string | number | boolean | undefined>;

/** Path segments below /v1, not yet encoded. */
export type PathSegments = string[];

export async function getJson<T>(
  settings: ClientSettings,
  path: PathSegments,
  query: QueryParameters = {},
  signal?: AbortSignal,
): Promise<T> {
  const headers = buildRequestHeaders(settings);
  return sendWithRetries(settings, buildApiUrl(settings, path, query), { headers, signal });
}

export async function postJson<T>(
  settings: ClientSettings,
  path: PathSegments,
  body: object,
  options: WriteOptions = {},
): Promise<T> {
  const headers = { 'content-type': 'application/json', ...buildWriteHeaders(settings, options) };
  return sendWithRetries(settings, buildApiUrl(settings, path), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: buildRequestHeaders(settings, headers),
    signal: options.signal,
  });
}

export async function deleteJson<T>(
  settings: ClientSettings,
  path: PathSegments,
  query: QueryParameters,
  options: WriteOptions = {},
): Promise<T> {
  return sendWithRetries(settings, buildApiUrl(settings, path, query), {
    method: 'DELETE',
    headers: buildRequestHeaders(settings, buildWriteHeaders(settings, options)),
    signal: options.signal,
  });
}

/** Builds the headers of every request that changes something. */
function buildWriteHeaders({ channel }: ClientSettings, { idempotencyKey = generateIdempotencyKey() }: WriteOptions) {
  return { 'idempotency-key': idempotencyKey, ...(channel ? { 'x-parley-channel': channel } : {}) };
}

/** Retries the same request, with the same idempotency key, while the error is transient. */
async function sendWithRetries<T>(settings: ClientSettings, url: string, init: RequestInit): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await parseJsonBody(settings, await fetchOrThrow(settings, url, init), init);
    } catch (error) {
      if (failures >= settings.retries || !isRetryable(error)) throw error;
      await sleepUnlessAborted(backoffDelayMs(settings.timing, failures, error.retryAfterMs), init.signal ?? undefined);
    }
  }
}

function isRetryable(error: unknown): error is ParleyError {
  if (!(error instanceof ParleyError) || isOperatorActionNeeded(error)) return false;
  return error.code === 'network' || error.status === 429 || error.status === 503;
}

/** Sends one request. Rethrows an abort unchanged and everything else as a ParleyError. */
export async function fetchOrThrow(settings: ClientSettings, url: string, init: RequestInit): Promise<Response> {
  const response = await settings.fetch(url, init).catch(rethrowAsNetworkError(settings, init));
  if (response.ok) return response;
  throw await parseErrorResponse(response);
}

async function parseJsonBody<T>(settings: ClientSettings, response: Response, init: RequestInit): Promise<T> {
  const text = await response.text().catch(rethrowAsNetworkError(settings, init));
  try {
    return JSON.parse(text);
  } catch {
    throw createUnexpectedResponseError(response);
  }
}

/** Turns a failed network read into a ParleyError; rethrows an abort unchanged. */
export function rethrowAsNetworkError({ url }: ClientSettings, { signal, method }: RequestInit) {
  return (cause: unknown): never => {
    signal?.throwIfAborted();
    throw createNetworkError(url, cause, method !== undefined && method !== 'GET');
  };
}

export function buildApiUrl({ url }: ClientSettings, path: PathSegments, query: QueryParameters = {}): string {
  const searchParams = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) searchParams.set(name, String(value));
  return [`${url}/v1/${path.map(encodePathSegment).join('/')}`, String(searchParams)].filter(Boolean).join('?');
}

/** Rejects an empty segment, `.` and `..`, which would lead to another path, encoded or not. */
function encodePathSegment(segment: string): string {
  if (/^\.{0,2}$/.test(segment))
    throw new ParleyError('invalid_request', `${JSON.stringify(segment)} is not a valid id. Nothing was sent.`);
  return encodeURIComponent(segment);
}

export function buildRequestHeaders({ key }: ClientSettings, extra: Record<string, string> = {}): Headers {
  // A header cannot contain such a key, and the resulting error would be hard to understand.
  if (key !== undefined && !/^[!-~]*$/.test(key))
    throw new ParleyError('unauthenticated', 'The API key contains spaces or invalid characters. Nothing was sent.');
  return new Headers(key === undefined ? extra : { authorization: `Bearer ${key}`, ...extra });
}

/** Does not use randomUUID, which browsers provide only on https and localhost. */
export function generateIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
