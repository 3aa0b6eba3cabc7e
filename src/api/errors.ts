import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { PROBLEMS, type ProblemCode } from '#contract/problem';
import type { ValidationIssue } from '#contract/question';
import { findEncryptionKeyError } from '#infra/crypto/encryption';
import type { Log } from '#infra/log';
import { troubleOf } from './temporal-trouble';

/** A refusal on its way to the caller: thrown once, at the edge. */
export class Refusal extends Error {
  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly more: { errors?: ValidationIssue[]; [field: string]: unknown } = {},
  ) {
    super(detail);
  }
}

export const RETRY_AFTER_SECONDS = '2';

/** The only place where an error becomes HTTP. No stack ever leaves. */
export function errorHandler(log: Log, sayMissing: (error: unknown) => boolean): ErrorRequestHandler {
  return (error, request, response, _next) => {
    sayMissing(error);
    const refusal = refusalOf(error);
    if (refusal.code === 'internal')
      log.error({ err: error, requestId: response.getHeader('x-request-id') }, 'request failed');
    if (response.headersSent) return void request.socket.destroy();
    sendProblem(response, refusal);
  };
}

/** The shape of every error. */
export function problemOf(code: ProblemCode, detail: string) {
  const [status, title] = PROBLEMS[code];
  return { type: `urn:parley:problem:${code}`, title, status, code, detail };
}

export function sendProblem(response: Response, { code, message, more }: Refusal): void {
  const problem = problemOf(code, message);
  response.locals.problem = code;
  if (problem.status === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  response
    .status(problem.status)
    .type('application/problem+json')
    .send(JSON.stringify({ ...problem, ...more }));
}

/** What is not even HTTP, or too long a head, gets the same shape of error as everything else. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const isLong = error.code === 'HPE_HEADER_OVERFLOW';
  const detail = isLong ? 'The head of the request is over 16 KB.' : (LATE[error.code ?? ''] ?? NO_HTTP);
  const problem = problemOf(isLong ? 'head_too_large' : 'invalid_request', detail);
  const { status } = problem;
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nX-Request-Id: ${randomUUID()}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const NO_HTTP = 'The request is not valid HTTP.';
const LATE: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not come in time: a head may take 10 s, all of it 30 s.',
};

/** The same words whether it is not there or not yours to see. */
export function unknownConversation(id: string): Refusal {
  return new Refusal('conversation_not_found', `There is no conversation ${JSON.stringify(id.slice(0, 200))}.`);
}

export function notFound({ method, baseUrl, path }: Request): never {
  throw new Refusal('not_found', `There is nothing at ${method} ${baseUrl}${path}.`);
}

/** For the methods a known path does not have. */
export function onlyMethods(...methods: string[]) {
  return (request: Request, response: Response): never => {
    response.setHeader('Allow', methods.join(', '));
    throw new Refusal('method_not_allowed', `${request.method} is not allowed here: ${methods.join(', ')} only.`);
  };
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const trouble =
    keyRefusal(error) ?? temporalRefusal(error) ?? bodyRefusal(error as { type?: string; status?: number });
  return (
    trouble ??
    new Refusal('internal', 'Parley failed on this request. It is logged under the X-Request-Id of this response.')
  );
}

/** Nothing is wrong with the request, nor lost: whoever runs this Parley has to put the key back. */
function keyRefusal(error: unknown): Refusal | undefined {
  const missing = findEncryptionKeyError(error);
  return missing && new Refusal('encryption_key_missing', missing.message);
}

function temporalRefusal(error: unknown): Refusal | undefined {
  const trouble = troubleOf(error);
  return trouble === undefined ? undefined : new Refusal('temporal_unavailable', trouble);
}

/** What the body parser and the router throw. */
function bodyRefusal(error: { type?: string; status?: number; limit?: number; message?: string }): Refusal | undefined {
  if (error.type === 'entity.parse.failed')
    return new Refusal('invalid_json', `The body is not a JSON object: ${error.message}`);
  if (error.type === 'entity.too.large') {
    const megabytes = Math.round((error.limit ?? 0) / 1_048_576) || 1;
    return new Refusal('too_large', `The body is over ${megabytes} MB.`);
  }
  if (error.status === 415) return new Refusal('unsupported_media_type', 'Send application/json in UTF-8.');
  if (error.status === 400 || error instanceof URIError)
    return new Refusal('invalid_request', 'The request cannot be read.');
  return undefined;
}
