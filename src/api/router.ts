import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Operation } from '#contract/operations/operation';
import { OPERATIONS, type OperationId } from '#contract/operations/table';
import { requireScopes } from './middleware/authentication';
import { allowOnlyMethods } from './middleware/errors';

/** What a path may hold; a route has those its path names. */
export type PathParameters = { id: string; qid: string; handle: string; agent: string; name: string };
export type OperationHandler = (request: Request<PathParameters>, response: Response) => Promise<void> | void;
export type OperationHandlers = Record<OperationId, OperationHandler>;

/** A route for each operation of the contract: who may, the body, then what it does. */
export function createRouter(handlers: OperationHandlers): Router {
  const router = Router();
  const methods = new Map<string, string[]>();
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const steps = [requireScopes(operation), ...(operation.body ? [parserOf(operation)] : [])];
    router[operation.method](path, ...steps, handlers[id as OperationId] as unknown as RequestHandler);
    methods.set(path, [...(methods.get(path) ?? []), operation.method.toUpperCase()]);
  }
  for (const [path, there] of methods) router.all(path, allowOnlyMethods(...there));
  return router;
}

const bytes = new WeakMap<IncomingMessage, Buffer>();

/** The body as it was sent, for what is signed. */
export function rawBodyOf(request: Request<PathParameters>): Buffer {
  return bytes.get(request) ?? Buffer.alloc(0);
}

function parserOf(operation: Operation): RequestHandler {
  return express.json({
    limit: operation.body?.limit ?? '1mb',
    type: ['application/json', 'application/*+json'],
    strict: !operation.orSigned,
    ...(operation.orSigned ? { verify: (request, _response, sent) => void bytes.set(request, sent) } : {}),
  });
}
