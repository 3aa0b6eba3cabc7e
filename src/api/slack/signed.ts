import express, { type RequestHandler } from 'express';
import type { Context } from '#api/context';
import { Refusal } from '#api/errors';
import { isSlackSigned } from '#signing/slack-signature';

/** The body as it was sent, whatever it says it is: that is what is signed. */
export const rawBody: RequestHandler = express.raw({ type: () => true, limit: '1mb', inflate: false });

export function textOf(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : '';
}

/** Lets on what Slack signed just now. Whatever else comes is told nothing of what is wrong with it. */
export function onlySigned(secret: string, { now }: Pick<Context, 'now'>): RequestHandler {
  return (request, _response, next) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const timestamp = request.get('x-slack-request-timestamp');
    const signature = request.get('x-slack-signature');
    if (!isSlackSigned(secret, { timestamp, signature, body }, now()))
      throw new Refusal('unauthenticated', 'This is for requests that Slack signed.');
    next();
  };
}
