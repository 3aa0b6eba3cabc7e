import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { actorOf, requirePrincipal } from '#api/middleware/authentication';
import { findActionable } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import { idempotencyFromHeader } from '#api/middleware/idempotency';
import { parseBody } from '#api/middleware/validation';
import { isSignalLimit } from '#api/temporal/errors';
import { isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { CancelBody } from '#contract/requests';
import { cancelConversationSignal } from '#workflows/messages';
import { assertSameBody, findEarlierResult, waitForMessageResult } from './message-results';
import { readConversation } from './read-conversation';

/** End a conversation, whatever it is doing. */
export async function cancelConversation(
  context: ApiDeps,
  request: Request<{ id: string }>,
  response: Response,
): Promise<void> {
  const { gateway, linksOf, secret } = context;
  const caller = requirePrincipal(response);
  const { reason } = parseBody(CancelBody, request);
  const sender = actorOf(request, caller);
  const run = await findActionable(gateway, caller, request.params.id);
  const once = idempotencyFromHeader(request, { secret, caller }, ['cancel', run.id], request.body ?? {});
  const { id, digest } = once;
  if (await findEarlierResult(gateway, run, once)) {
    return void response.status(202).json(await readConversation(gateway, run, linksOf));
  }
  if (isExecutionClosed(run)) throw finished();
  const effect = { id, digest, reason, ...sender, receivedAt: context.now() };
  const isOurs = await send(gateway, run.id, effect);
  const ended = await waitForMessageResult(gateway, run.id, (seen) => {
    const verdict = seen.memo.verdicts.find((candidate) => candidate.id === id);
    if (verdict) assertSameBody(verdict, once);
    else if (isExecutionClosed(seen) && isOurs) throw finished();
    return verdict || isExecutionClosed(seen) ? seen : undefined;
  });
  response.status(202).json(await readConversation(gateway, ended ?? run, linksOf));
}

/** False where the run takes no more signals, and had to be cancelled by Temporal's own means. */
async function send(gateway: TemporalGateway, id: string, effect: { id: string }): Promise<boolean> {
  try {
    if (await gateway.signal(id, cancelConversationSignal, effect)) return true;
    // It has ended since we looked, by a try of this very cancel maybe.
    const { memo } = await gateway.find(id);
    if (!memo.verdicts.some((verdict) => verdict.id === effect.id)) throw finished();
    return true;
  } catch (error) {
    if (!isSignalLimit(error)) throw error;
    await gateway.cancel(id);
    return false;
  }
}

function finished(): ApiError {
  return new ApiError('conversation_finished', 'The conversation is finished: there is nothing to cancel.');
}
