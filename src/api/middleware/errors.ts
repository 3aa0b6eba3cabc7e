import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { findUnavailability } from '#api/temporal/errors';
import { InboundError } from '#channels/inbound';
import { summarizeIssues } from '#contract/error-messages';
import { PROBLEMS, type ProblemCode, problemType } from '#contract/problem';
import type { ValidationIssue } from '#contract/question';
import type { AnswerRefusal } from '#contract/responses';
import { findEncryptionKeyError } from '#infra/crypto/aes-gcm';

/** An error response, thrown once at the edge. */
export class ApiError extends Error {
  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly extensions: { errors?: ValidationIssue[]; [field: string]: unknown } = {},
  ) {
    super(detail);
  }
}

export const RETRY_AFTER_SECONDS = '2';

/**
 * Converts errors to HTTP responses, which never contain stack traces. No other code does this. `send` renders the error
 * in another form than as a problem.
 */
export function errorHandler(
  { log, reportMissingKey }: Pick<ApiDeps, 'log' | 'reportMissingKey'>,
  send: (response: Response, error: ApiError, request: Request) => void = sendProblem,
): ErrorRequestHandler {
  return (error, request, response, _next) => {
    reportMissingKey(error);
    const apiError = toApiError(error);
    response.locals.problem = apiError.code;
    if (apiError.code === 'internal')
      log.error({ err: error, requestId: response.getHeader('x-request-id') }, 'request failed');
    if (response.headersSent) return void request.socket.destroy();
    if (PROBLEMS[apiError.code][0] === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    send(response, apiError, request);
  };
}

/** Returns the base fields of every problem. */
export function toProblem(code: ProblemCode, detail: string) {
  const [status, title] = PROBLEMS[code];
  return { type: problemType(code), title, status, code, detail };
}

function sendProblem(response: Response, { code, message, extensions }: ApiError): void {
  const problem = toProblem(code, message);
  response
    .status(problem.status)
    .type('application/problem+json')
    .send(JSON.stringify({ ...problem, ...extensions }));
}

/** Replies to invalid HTTP and oversized heads with a problem too. */
export function handleMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const isHeadTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const detail = isHeadTooLarge
    ? 'The request headers exceed 16 KB.'
    : (TIMEOUT_DETAILS[error.code ?? ''] ?? MALFORMED_DETAIL);
  const problem = toProblem(isHeadTooLarge ? 'head_too_large' : 'invalid_request', detail);
  const { status } = problem;
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nX-Request-Id: ${randomUUID()}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const MALFORMED_DETAIL = 'The request is not valid HTTP.';
const TIMEOUT_DETAILS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long: the limit is 10 s for the headers and 30 s in total.',
};

/** A service's refusal as an HTTP reply. */
export function refusalError(refusal: AnswerRefusal): ApiError {
  const { code, detail } = refusal;
  if (refusal.status === 'alreadyResolved') return new ApiError(code, detail, { question: refusal.question });
  if (refusal.status !== 'invalid') return new ApiError(code, detail);
  const { summary, ...extensions } = summarizeIssues(refusal.issues);
  return new ApiError(code, detail, extensions);
}

/** Returns the result, or throws the refusal as the reply. */
export function orThrowRefusal<T extends { status: string }>(result: T | AnswerRefusal): T {
  if ('code' in result) throw refusalError(result);
  return result;
}

export function handleNotFound({ method, baseUrl, path }: Request): never {
  throw new ApiError('not_found', `No resource at ${method} ${baseUrl}${path}.`);
}

/** Rejects methods that a known path does not support. */
export function allowOnlyMethods(...methods: string[]) {
  return (request: Request, response: Response): never => {
    // Express answers HEAD wherever it answers GET.
    response.setHeader(
      'Allow',
      methods.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method])).join(', '),
    );
    throw new ApiError('method_not_allowed', `${request.method} is not allowed. Use ${methods.join(', ')}.`);
  };
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof InboundError) return new ApiError(error.code, error.message);
  const unavailability = findUnavailability(error);
  const knownError =
    (unavailability && new ApiError(unavailability.code, unavailability.detail)) ??
    toEncryptionKeyError(error) ??
    toBodyError(error as { type?: string; status?: number });
  return (
    knownError ??
    new ApiError('internal', 'Something went wrong. Details are in the log under the X-Request-Id of this response.')
  );
}

/** A 503: the request is valid and nothing is lost, but the operator has to restore the key. */
function toEncryptionKeyError(error: unknown): ApiError | undefined {
  const missing = findEncryptionKeyError(error);
  return missing && new ApiError('encryption_key_missing', missing.message);
}

/** What the body parser and the router throw. */
function toBodyError(error: {
  type?: string;
  status?: number;
  limit?: number;
  message?: string;
}): ApiError | undefined {
  if (error.type === 'entity.parse.failed')
    return new ApiError('invalid_json', `Expected a JSON body: ${error.message}`);
  if (error.type === 'entity.too.large') {
    const kilobytes = (error.limit ?? 0) / 1_024;
    const limit = kilobytes < 1_024 ? `${kilobytes} KB` : `${kilobytes / 1_024} MB`;
    return new ApiError('too_large', `The body exceeds ${limit}.`);
  }
  if (error.status === 415) return new ApiError('unsupported_media_type', 'Use application/json in UTF-8.');
  if (error.status === 400 || error instanceof URIError)
    return new ApiError('invalid_request', "The request can't be read.");
  return undefined;
}
