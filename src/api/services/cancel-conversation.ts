import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { actorOf, requirePrincipal } from '#api/middleware/authentication';
import { ApiError, refusalError } from '#api/middleware/errors';
import { parseBody } from '#api/middleware/validation';
import { isSignalLimit } from '#api/temporal/errors';
import { isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { CancelBody } from '#contract/requests';
import { cancelConversationSignal } from '#workflows/messages';
import { awaitResult, idempotencyFromHeader, requireActionable } from './idempotency';
import { readConversation } from './read-conversation';
import { conversationNotFound } from './refusals';

/** Cancels a conversation in any state. */
export async function cancelConversation(
  deps: ApiDeps,
  request: Request<{ id: string }>,
  response: Response,
): Promise<void> {
  const { gateway, buildLinks, secret } = deps;
  const caller = requirePrincipal(response);
  const { reason } = parseBody(CancelBody, request);
  const actor = actorOf(request, caller);
  const operation = ['cancel', request.params.id];
  const idempotency = idempotencyFromHeader(request, { secret, caller }, operation, request.body ?? {});
  const { id, digest } = idempotency;
  const { run, earlier } = await requireActionable(gateway, caller, request.params.id, idempotency);
  if (earlier) return void response.status(202).json(await readConversation(gateway, run, buildLinks));
  if (isExecutionClosed(run)) throw finishedError();
  const message = { id, digest, reason, ...actor, receivedAt: deps.now() };
  const isSignalled = await sendCancel(gateway, run.id, message);
  const latest = await awaitResult(gateway, run.id, idempotency, (current, result) => {
    if (!result && isExecutionClosed(current) && isSignalled) throw finishedError();
    return result || isExecutionClosed(current) ? current : undefined;
  });
  response.status(202).json(await readConversation(gateway, latest ?? run, buildLinks));
}

/** Returns false if the run accepts no more signals and was cancelled through Temporal instead. */
async function sendCancel(gateway: TemporalGateway, id: string, message: { id: string }): Promise<boolean> {
  try {
    if (await gateway.signal(id, cancelConversationSignal, message)) return true;
    // It ended after it was read, perhaps through an earlier attempt of this request.
    const run = await gateway.find(id);
    if (!run) throw refusalError(conversationNotFound(id));
    if (!run.memo.messageResults.some((result) => result.id === message.id)) throw finishedError();
    return true;
  } catch (error) {
    if (!isSignalLimit(error)) throw error;
    await gateway.cancel(id);
    return false;
  }
}

function finishedError(): ApiError {
  return new ApiError('conversation_finished', 'The conversation is already finished.');
}
