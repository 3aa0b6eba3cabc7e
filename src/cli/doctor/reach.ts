/** What came back from an address, if anything did. */
export type Reached =
  | { kind: 'nothing'; reason: string }
  | {
      kind: 'reply';
      status: number;
      type: string;
      body: unknown;
      date: string | null;
      ms: number;
      at: string;
    };

const PATIENCE_MS = 5_000;

/** Waits so long for anything, and no longer. */
export async function inTime<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const patience = new AbortController();
  // Not AbortSignal.timeout, which does not keep the process: Node's fetch may forget a connection that is closed at once.
  const timer = setTimeout(() => patience.abort(new DOMException('', 'TimeoutError')), PATIENCE_MS);
  try {
    return await ask(patience.signal);
  } finally {
    clearTimeout(timer);
  }
}

export function isOutOfTime(error: unknown): boolean {
  return (error as Error).name === 'TimeoutError';
}

/** Asks once, and with no key: what is looked at here needs none. */
export async function reach(url: string): Promise<Reached> {
  try {
    return await inTime((signal) => replyFrom(url, signal));
  } catch (error) {
    return { kind: 'nothing', reason: reasonOf(error) };
  }
}

async function replyFrom(url: string, signal: AbortSignal): Promise<Reached> {
  const began = performance.now();
  const response = await fetch(url, { signal });
  const ms = Math.round(performance.now() - began);
  const { status, headers } = response;
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing readable';
  const body = jsonIn(await response.text());
  return { kind: 'reply', status, type, body, date: headers.get('date'), ms, at: response.url };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network',
  ECONNRESET: 'it hung up',
  UND_ERR_SOCKET: 'it hung up',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak https: try http://',
};

function reasonOf(error: unknown): string {
  if (isOutOfTime(error)) return 'it does not answer';
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const code = cause?.code ?? '';
  return REASONS[code] ?? (code || cause?.message || message);
}
