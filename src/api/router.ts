import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Operation } from '#contract/operations/operation';
import { OPERATIONS, type OperationId } from '#contract/operations/table';
import { ClientChannel, LastEventId } from '#contract/requests';
import type { ApiDeps } from './dependencies';
import { type Principal, requireScopes } from './middleware/authentication';
import { allowOnlyMethods } from './middleware/errors';
import { type IssueFinder, parseBody, parseInput } from './middleware/validation';
import { type Idempotency, idempotencyFromHeader } from './services/idempotency';

type Table = typeof OPERATIONS;
type ParsedBy<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type IfDeclared<Id extends OperationId, Flag extends string, T> = Table[Id] extends Record<Flag, true> ? T : undefined;

/** A request, parsed as the contract describes its operation. */
export interface OperationInput<Id extends OperationId> {
  /** Path parameters; each operation has those in its path. */
  params: { id: string; qid: string; handle: string; agent: string; name: string };
  caller: Table[Id] extends { requiredScopes: 'anybody' } | { acceptsSignature: true } ? undefined : Principal;
  query: Table[Id] extends { query: infer Schema } ? ParsedBy<Schema> : undefined;
  body: Table[Id] extends { body: { schema: infer Schema } } ? ParsedBy<Schema> : undefined;
  idempotency: IfDeclared<Id, 'isIdempotent', Idempotency>;
  /** Who acts, from the key, and the channel, which the client states itself. */
  actor: IfDeclared<Id, 'acceptsChannelHeader', { by?: string; via: string }>;
  lastEventId: IfDeclared<Id, 'isResumable', number | undefined>;
  receivedAt: number;
}
export type OperationHandlers = {
  [Id in OperationId]: (
    input: OperationInput<Id>,
    response: Response,
    request: Request<OperationInput<Id>['params']>,
  ) => Promise<void> | void;
};

/** Creates a route for each operation of the contract: scopes, body, then the handler. */
export function createRouter(
  deps: Pick<ApiDeps, 'secret' | 'now'>,
  handlers: OperationHandlers,
  issueFinders: Partial<Record<OperationId, IssueFinder>> = {},
): Router {
  const router = Router();
  const methods = new Map<string, string[]>();
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const handle = handlers[id as OperationId] as (...args: unknown[]) => Promise<void> | void;
    const handler: RequestHandler = (request, response) =>
      handle(parseRequest(deps, id, operation, request, response, issueFinders[id as OperationId]), response, request);
    router[operation.method](
      path,
      requireScopes(operation),
      ...(operation.body ? [bodyParser(operation)] : []),
      handler,
    );
    methods.set(path, [...(methods.get(path) ?? []), operation.method.toUpperCase()]);
  }
  for (const [path, allowed] of methods) router.all(path, allowOnlyMethods(...allowed));
  return router;
}

function parseRequest(
  { secret, now }: Pick<ApiDeps, 'secret' | 'now'>,
  operationId: string,
  { query, body, isIdempotent, acceptsSignature, acceptsChannelHeader, isResumable }: Operation,
  request: Request,
  response: Response,
  findMoreIssues: IssueFinder | undefined,
) {
  const { params } = request;
  const { caller } = response.locals as { caller: Principal };
  const parsed = {
    params,
    caller,
    receivedAt: now(),
    query: parseInput(query ?? NO_QUERY, request.query),
    body: body && parseBody(body.schema, request, findMoreIssues),
    lastEventId: isResumable && parseInput(LastEventId.optional(), request.get('last-event-id')),
  };
  const channel = acceptsChannelHeader && parseInput(ClientChannel.optional(), request.get('x-parley-channel'));
  // A webhook has its own idempotency key and caller.
  const isKeyed = isIdempotent && !acceptsSignature;
  const content = [params, request.query, request.body ?? {}];
  return {
    ...parsed,
    actor: acceptsChannelHeader && { by: caller.name ?? undefined, via: channel ?? 'http' },
    idempotency:
      isKeyed && idempotencyFromHeader(request, secret, caller, [operationId, String(params.id ?? '')], content),
  };
}

const NO_QUERY = z.strictObject({});

const rawBodies = new WeakMap<IncomingMessage, Buffer>();

/** Returns the unparsed body, for verifying signatures. */
export function rawBodyOf(request: IncomingMessage): Buffer {
  return rawBodies.get(request) ?? Buffer.alloc(0);
}

function bodyParser(operation: Operation): RequestHandler {
  return express.json({
    limit: operation.body?.limit ?? '256kb',
    type: ['application/json', 'application/*+json'],
    strict: !operation.acceptsSignature,
    ...(operation.acceptsSignature
      ? { verify: (request, _response, buffer) => void rawBodies.set(request, buffer) }
      : {}),
  });
}
