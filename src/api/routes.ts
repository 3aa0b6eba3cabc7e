import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Operation } from '#contract/operations/operation';
import { OPERATIONS, type OperationId } from '#contract/operations/table';
import { allow } from './caller';
import { onlyMethods } from './errors';

/** What a path may hold; a route has those its path names. */
export type Parameters = { id: string; qid: string; handle: string; agent: string; name: string };
export type Handler = (request: Request<Parameters>, response: Response) => Promise<void> | void;
export type Handlers = Record<OperationId, Handler>;

/** A route for each operation of the contract: who may, the body, then what it does. */
export function routes(handlers: Handlers): Router {
  const router = Router();
  const methods = new Map<string, string[]>();
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const steps = [allow(operation), ...(operation.body ? [parserOf(operation)] : [])];
    router[operation.method](path, ...steps, handlers[id as OperationId] as unknown as RequestHandler);
    methods.set(path, [...(methods.get(path) ?? []), operation.method.toUpperCase()]);
  }
  for (const [path, there] of methods) router.all(path, onlyMethods(...there));
  return router;
}

const bytes = new WeakMap<IncomingMessage, Buffer>();

/** The body as it was sent, for what is signed. */
export function sentBytes(request: Request<Parameters>): Buffer {
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
