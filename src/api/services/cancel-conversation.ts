import type { Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { ApiError, refusalError } from '#api/middleware/errors';
import type { OperationInput } from '#api/router';
import { isSignalLimit } from '#api/temporal/errors';
import { isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { cancelConversationSignal } from '#workflows/messages';
import { awaitResult, requireActionable } from './idempotency';
import { readConversation } from './read-conversation';
import { conversationNotFound } from './refusals';

/** Cancels a conversation in any state. */
export async function cancelConversation(
  { gateway, buildLinks }: ApiDeps,
  { caller, params, body: { reason }, idempotency, actor, receivedAt }: OperationInput<'cancelConversation'>,
  response: Response,
): Promise<void> {
  const { id, digest } = idempotency;
  const { run, earlier } = await requireActionable(gateway, caller, params.id, idempotency);
  if (earlier) return void response.status(202).json(await readConversation(gateway, run, buildLinks));
  if (isExecutionClosed(run)) throw finishedError();
  const message = { id, digest, reason, ...actor, receivedAt };
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
