import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Operation } from '#contract/operations/operation';
import { OPERATIONS, type OperationId } from '#contract/operations/table';
import { requireScopes } from './middleware/authentication';
import { allowOnlyMethods } from './middleware/errors';

/** Path parameters; each route has those in its path. */
export type PathParameters = { id: string; qid: string; handle: string; agent: string; name: string };
export type OperationHandler = (request: Request<PathParameters>, response: Response) => Promise<void> | void;
export type OperationHandlers = Record<OperationId, OperationHandler>;

/** Creates a route for each operation of the contract: scopes, body, then the handler. */
export function createRouter(handlers: OperationHandlers): Router {
  const router = Router();
  const methods = new Map<string, string[]>();
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const middleware = [requireScopes(operation), ...(operation.body ? [bodyParser(operation)] : [])];
    router[operation.method](path, ...middleware, handlers[id as OperationId] as unknown as RequestHandler);
    methods.set(path, [...(methods.get(path) ?? []), operation.method.toUpperCase()]);
  }
  for (const [path, allowed] of methods) router.all(path, allowOnlyMethods(...allowed));
  return router;
}

const rawBodies = new WeakMap<IncomingMessage, Buffer>();

/** Returns the unparsed body, for verifying signatures. */
export function rawBodyOf(request: Request<PathParameters>): Buffer {
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
