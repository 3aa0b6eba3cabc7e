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
  if (isTemporalDown(error)) {
    return new Refusal(
      'temporal_unavailable',
      'Temporal cannot be reached, so nothing was accepted. Try again in a moment.',
    );
  }
  if (isUnregistered(error)) {
    return new Refusal(
      'temporal_unavailable',
      "Temporal does not know Parley's search attributes yet. Try again in a moment.",
    );
  }
  return (
    bodyRefusal(error as { type?: string; status?: number }) ??
    new Refusal(
      'internal',
      'Parley failed on this request. It is logged under the X-Request-Id of this response.',
    )
  );
}

/** What the body parser and the router throw. */
function bodyRefusal(error: { type?: string; status?: number; message?: string }): Refusal | undefined {
  if (error.type === 'entity.parse.failed')
    return new Refusal('invalid_json', `The body is not valid JSON: ${error.message}`);
  if (error.type === 'entity.too.large') return new Refusal('too_large', 'The body is over 1 MB.');
  if (error.status === 415) return new Refusal('unsupported_media_type', 'Send application/json in UTF-8.');
  if (error.status === 400 || error instanceof URIError)
    return new Refusal('invalid_request', 'The request cannot be read.');
  return undefined;
}

const DOWN = [1, 4, 14]; // CANCELLED, DEADLINE_EXCEEDED, UNAVAILABLE
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;

function grpcOf(error: unknown): { code?: number; details: string } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return cause;
  }
  return { details: '' };
}

/** For a moment after they were registered, and for good where nobody may register them. */
function isUnregistered(error: unknown): boolean {
  const { code, details } = grpcOf(error);
  return code === INVALID_ARGUMENT && /Parley(Status|Agent|Root|ExpiresAt|Audience)/.test(details);
}

export function isTemporalDown(error: unknown): boolean {
  return DOWN.includes(grpcOf(error).code ?? -1);
}

export function isNotFound(error: unknown): boolean {
  return (error as Error)?.name === 'WorkflowNotFoundError' || grpcOf(error).code === NOT_FOUND;
}
