import { ParleyError } from '#client/parley-error';

/** The response from an address, or why there was none. */
export type ProbeResult = ProbeResponse | { kind: 'unreachable'; reason: string };

export interface ProbeResponse {
  kind: 'response';
  status: number;
  type: string;
  /** Empty if the response is not JSON. */
  body: { status?: string; detail?: string };
  date: string | null;
  durationMs: number;
  url: string;
}

/** Sends one request without a key, which health and readiness checks do not need. */
export async function probeUrl(url: string): Promise<ProbeResult> {
  try {
    return await withProbeTimeout(async (signal) => {
      const startedAt = performance.now();
      const response = await fetch(url, { signal });
      const durationMs = Math.round(performance.now() - startedAt);
      const { status, headers } = response;
      const type = headers.get('content-type')?.split(';')[0] ?? 'unknown content';
      const body = parseJsonObject(await response.text());
      return { kind: 'response', status, type, body, date: headers.get('date'), durationMs, url: response.url };
    });
  } catch (error) {
    return { kind: 'unreachable', reason: describeNetworkError(error as Error) };
  }
}

/** Calls the API. Returns an error of the server or the network instead of throwing it. */
export async function callOrError<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | ParleyError> {
  try {
    return await withProbeTimeout(call);
  } catch (error) {
    if (error instanceof ParleyError) return error;
    if (isTimeout(error)) return new ParleyError('network', 'No response in time.');
    throw error;
  }
}

const PROBE_TIMEOUT_MS = 5_000;

async function withProbeTimeout<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  // Not AbortSignal.timeout, which does not keep the process alive: Node's fetch may never settle if the connection is
  // closed at once.
  const timer = setTimeout(() => abort.abort(new DOMException('', 'TimeoutError')), PROBE_TIMEOUT_MS);
  try {
    return await request(abort.signal);
  } finally {
    clearTimeout(timer);
  }
}

function isTimeout(error: unknown): boolean {
  return (error as Error).name === 'TimeoutError';
}

function parseJsonObject(text: string): ProbeResponse['body'] {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

const NETWORK_ERROR_REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name lookup failed',
  ECONNRESET: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not an https server: try http://',
};

function describeNetworkError(error: Error): string {
  if (isTimeout(error)) return 'timed out';
  const { code = '', message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
  return NETWORK_ERROR_REASONS[code] ?? (message || code);
}
