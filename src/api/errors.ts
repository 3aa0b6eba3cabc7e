import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { isGrpcServiceError } from '@temporalio/client';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { PROBLEMS, type ProblemCode } from '../contract/problem';
import type { Fault } from '../contract/question';
import type { Log } from '../log';

/** A refusal on its way to the caller: thrown once, at the edge. */
export class Refusal extends Error {
  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly more: { errors?: Fault[]; [field: string]: unknown } = {},
  ) {
    super(detail);
  }
}

const RETRY_AFTER_SECONDS = '2';

/** The only place where an error becomes HTTP. No stack ever leaves. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const refusal = refusalOf(error);
    if (refusal.code === 'internal')
      log.error({ err: error, requestId: response.getHeader('x-request-id') }, 'request failed');
    if (response.headersSent) return void request.socket.destroy();
    sendProblem(response, refusal);
  };
}

export function sendProblem(response: Response, { code, message, more }: Refusal): void {
  const [status, title] = PROBLEMS[code];
  if (status === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  response
    .status(status)
    .type('application/problem+json')
    .send(
      JSON.stringify({ type: `urn:parley:problem:${code}`, title, status, code, detail: message, ...more }),
    );
}

/** What is not even HTTP, or too long a head, gets the same shape of error as everything else. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const isLong = error.code === 'HPE_HEADER_OVERFLOW';
  const detail = isLong ? 'The head of the request is over 16 KB.' : 'The request is not valid HTTP.';
  const code = isLong ? 'head_too_large' : 'invalid_request';
  const [status, title] = PROBLEMS[code];
  const body = JSON.stringify({ type: `urn:parley:problem:${code}`, title, status, code, detail });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nX-Request-Id: ${randomUUID()}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

export function notFound(request: Request): never {
  throw new Refusal('not_found', `There is nothing at ${request.method} ${request.path}.`);
}

/** For the methods a known path does not have. */
export function onlyMethods(...methods: string[]) {
  return (request: Request, response: Response): never => {
    response.setHeader('Allow', methods.join(', '));
    throw new Refusal(
      'method_not_allowed',
      `${request.method} is not allowed here: ${methods.join(', ')} only.`,
    );
  };
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const trouble = temporalTrouble(error) ?? bodyRefusal(error as { type?: string; status?: number });
  return (
    trouble ??
    new Refusal(
      'internal',
      'Parley failed on this request. It is logged under the X-Request-Id of this response.',
    )
  );
}

/** What Temporal's refusals mean to somebody who knows nothing of it. */
function temporalTrouble(error: unknown): Refusal | undefined {
  const { code, details } = namespaceMissing(error) ?? grpcOf(error);
  const unavailable = (detail: string) => new Refusal('temporal_unavailable', detail);
  if (isFull(error))
    return unavailable(
      'This conversation has been sent too much at once. Try again when the agent has caught up.',
    );
  if (isUnregistered(error))
    return unavailable("Temporal does not know Parley's search attributes yet. Try again in a moment.");
  switch (code) {
    case DEADLINE_EXCEEDED:
      return unavailable(
        'Temporal did not answer in time. What was sent may have been taken: try again, with the same Idempotency-Key to be sure.',
      );
    case CANCELLED:
    case UNAVAILABLE:
      return unavailable('Temporal cannot be reached, so nothing was accepted. Try again in a moment.');
    case RESOURCE_EXHAUSTED:
      return unavailable('Temporal is overloaded, so nothing was accepted. Try again in a moment.');
    case NOT_FOUND:
    case PERMISSION_DENIED:
    case UNAUTHENTICATED:
      return unavailable(
        `Temporal refused: ${details.replace(/\.$/, '')}. Check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_*.`,
      );
    default:
      return undefined;
  }
}

/** What the body parser and the router throw. */
function bodyRefusal(error: { type?: string; status?: number; message?: string }): Refusal | undefined {
  if (error.type === 'entity.parse.failed')
    return new Refusal('invalid_json', `The body is not a JSON object: ${error.message}`);
  if (error.type === 'entity.too.large') return new Refusal('too_large', 'The body is over 1 MB.');
  if (error.status === 415) return new Refusal('unsupported_media_type', 'Send application/json in UTF-8.');
  if (error.status === 400 || error instanceof URIError)
    return new Refusal('invalid_request', 'The request cannot be read.');
  return undefined;
}

const CANCELLED = 1;
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

function grpcOf(error: unknown): { code?: number; details: string } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return cause;
  }
  return { details: '' };
}

/** The SDK drops the code it came with. */
function namespaceMissing(error: unknown): { code: number; details: string } | undefined {
  const { name, message } = error as Error;
  return name === 'NamespaceNotFoundError' ? { code: NOT_FOUND, details: message } : undefined;
}

/** For a moment after they were registered, and for good where nobody may register them. */
function isUnregistered(error: unknown): boolean {
  const { code, details } = grpcOf(error);
  return code === INVALID_ARGUMENT && /Parley(Status|Agent|Root|ExpiresAt|Audience)/.test(details);
}

/** A run takes in so many signals and no more; it rolls over as soon as it can. */
export function isFull(error: unknown): boolean {
  const { code, details } = grpcOf(error);
  return code === INVALID_ARGUMENT && /limit/i.test(details) && /signal/i.test(details);
}

export function isTemporalDown(error: unknown): boolean {
  const { code } = grpcOf(error);
  return (
    code === CANCELLED || code === DEADLINE_EXCEEDED || code === UNAVAILABLE || code === RESOURCE_EXHAUSTED
  );
}

/** No such workflow, or none that still runs; a namespace that is not there is another matter. */
export function isNotFound(error: unknown): boolean {
  if ((error as Error)?.name === 'WorkflowNotFoundError') return true;
  const { code, details } = grpcOf(error);
  return code === NOT_FOUND && !/namespace/i.test(details);
}
