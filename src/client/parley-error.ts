import type { Problem, ProblemCode } from '#contract/problem';

/** `network`: no response came, or not all of it. `unexpected_response`: whatever answered, it was not Parley. */
export type ParleyErrorCode = ProblemCode | 'network' | 'unexpected_response';

interface ErrorDetails {
  status?: number;
  problem?: Problem;
  requestId?: string;
  retryAfterMs?: number;
  cause?: unknown;
}

/** Whatever went wrong with a call, in words a person can read. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  /** Of the response, where there was one. */
  readonly status?: number;
  /** What Parley said, with every fault and, on a 409, the question as it stands. */
  readonly problem?: Problem;
  /** What the server logged it under. */
  readonly requestId?: string;
  /** How long the server asked to be left alone. */
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

/** Whether only the operator can fix it, by restoring an encryption key: a retry cannot. */
export function isOperatorActionNeeded({ code }: ParleyError): boolean {
  return code === 'encryption_key_missing';
}

/** Reads the error of an unsuccessful response. */
export async function parseErrorResponse(response: Response): Promise<ParleyError> {
  const problem = parseProblem(await response.text().catch(() => ''));
  if (!problem) return createUnexpectedResponseError(response);
  const details = { ...readErrorDetails(response), problem };
  const requestNote = response.status >= 500 && details.requestId ? ` (request ${details.requestId})` : '';
  return new ParleyError(problem.code as ProblemCode, `${problem.detail}${requestNote}`, details);
}

/** A proxy's error page, a web server that is not Parley, a login page in between. */
export function createUnexpectedResponseError(response: Response): ParleyError {
  const { status, statusText, headers, url } = response;
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing readable';
  const answer = `${[status, statusText].filter(Boolean).join(' ')} and ${type}`;
  const advice =
    status >= 500 || status === 429
      ? 'Something in front of Parley may be in trouble: try again later.'
      : 'Check that the address is that of Parley, and what stands in between.';
  return new ParleyError('unexpected_response', `${url} answered ${answer}, not as Parley does. ${advice}`, {
    ...readErrorDetails(response),
  });
}

/** No response, or only part of it. A write may have arrived all the same. */
export function createNetworkError(url: string, cause: unknown, isWrite: boolean): ParleyError {
  const advice = isWrite
    ? 'What you sent may have arrived all the same: look first, or send it with the same idempotencyKey.'
    : 'Then try again.';
  return new ParleyError(
    'network',
    `Parley cannot be reached at ${url || 'this address'} (${describeCause(cause)}). ` +
      `Check that it is running there and that you are online. ${advice}`,
    { cause },
  );
}

function readErrorDetails({ status, headers }: Response): ErrorDetails {
  const requestId = headers.get('x-request-id') ?? undefined;
  return { status, requestId, retryAfterMs: parseRetryAfter(headers.get('retry-after')) };
}

/** Seconds, or a date. */
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

/** Node says "fetch failed" and keeps the reason in the cause, which may be several in one. */
function describeCause(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? (cause?.message || message || String(error));
}
