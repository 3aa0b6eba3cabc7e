import type { Problem, ProblemCode } from '#contract/problem';

/** `network`: no response, or an incomplete one. `unexpected_response`: the response did not come from Parley. */
export type ParleyErrorCode = ProblemCode | 'network' | 'unexpected_response';

interface ErrorDetails {
  status?: number;
  problem?: Problem;
  requestId?: string;
  retryAfterMs?: number;
  cause?: unknown;
}

/** Any failure of a call, with a message that a person can read. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  /** HTTP status of the response, if there was one. */
  readonly status?: number;
  /** The error reported by Parley, with all issues and, on a 409, the current question. */
  readonly problem?: Problem;
  /** The request id in the server's log. */
  readonly requestId?: string;
  /** Delay that the server asked for. */
  readonly retryAfterMs?: number;

  constructor(
    readonly code: ParleyErrorCode,
    message: string,
    { cause, ...details }: ErrorDetails = {},
  ) {
    super(message, { cause });
    Object.assign(this, details);
  }
}

/** Returns whether only the operator can fix the error, by restoring an encryption key. A retry cannot. */
export function isOperatorActionNeeded({ code }: ParleyError): boolean {
  return code === 'encryption_key_missing';
}

export async function parseErrorResponse(response: Response): Promise<ParleyError> {
  const problem = parseProblem(await response.text().catch(() => ''));
  if (!problem) return createUnexpectedResponseError(response);
  const details = { ...readErrorDetails(response), problem };
  const requestNote = response.status >= 500 && details.requestId ? ` (request ${details.requestId})` : '';
  return new ParleyError(problem.code as ProblemCode, `${problem.detail}${requestNote}`, details);
}

/** Creates the error for a response that is not from Parley: a proxy's error page, another web server, a login page. */
export function createUnexpectedResponseError(response: Response): ParleyError {
  const { status, statusText, headers, url } = response;
  const type = headers.get('content-type')?.split(';')[0] ?? 'unknown content';
  const answer = `${[status, statusText].filter(Boolean).join(' ')} (${type})`;
  const advice =
    status >= 500 || status === 429
      ? 'A proxy in front of Parley may have a problem; try again later.'
      : 'Check the address, proxies and the network.';
  return new ParleyError(
    'unexpected_response',
    `Unexpected response from ${url}, not from Parley: ${answer}. ${advice}`,
    {
      ...readErrorDetails(response),
    },
  );
}

/** Creates the error for a missing or incomplete response. A write may still have arrived. */
export function createNetworkError(url: string, cause: unknown, isWrite: boolean): ParleyError {
  const advice = isWrite
    ? 'Your request may have arrived: check first, or retry with the same idempotencyKey.'
    : 'Then try again.';
  return new ParleyError(
    'network',
    `Can't reach Parley at ${url || 'this address'} (${describeCause(cause)}). ` +
      `Check that it is running and that you are online. ${advice}`,
    { cause },
  );
}

function readErrorDetails({ status, headers }: Response): ErrorDetails {
  const requestId = headers.get('x-request-id') ?? undefined;
  return { status, requestId, retryAfterMs: parseRetryAfter(headers.get('retry-after')) };
}

/** Parses a number of seconds or a date. */
function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function parseProblem(text: string): Problem | undefined {
  try {
    const body: Partial<Problem> | null = JSON.parse(text);
    return typeof body?.code === 'string' && typeof body.detail === 'string' ? (body as Problem) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the reason of a failed fetch. Node's message is "fetch failed"; the reason is in the cause. */
function describeCause(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? (cause?.message || message || String(error));
}
