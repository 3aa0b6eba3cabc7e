import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { actorOf, canAnswer, requirePrincipal } from '#api/middleware/authentication';
import { findActionable } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import { idempotencyFromHeader } from '#api/middleware/idempotency';
import { assertMessageSize, parseBody } from '#api/middleware/validation';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import { MessageBody } from '#contract/requests';
import { MAX_QUEUED_BYTES } from '#core/conversation/messages';
import { reopenConversation } from '#core/conversation/state';
import { addMessageSignal } from '#workflows/messages';
import { findEarlierResult, waitForMessageResult } from './message-results';
import { readConversation } from './read-conversation';

/** A further message: to a conversation under way, or to take a finished one up again. */
export async function sendMessage(
  context: ApiDeps,
  request: Request<{ id: string }>,
  response: Response,
): Promise<void> {
  const { gateway, linksOf, secret } = context;
  const caller = requirePrincipal(response);
  const { text } = parseBody(MessageBody, request);
  assertMessageSize('text', text);
  const conversationId = request.params.id;
  const once = idempotencyFromHeader(request, { secret, caller }, ['message', conversationId], request.body);
  const { id, digest } = once;
  const message = {
    text,
    id,
    digest,
    ...actorOf(request, caller),
    // A program that may only converse cannot answer in a person's stead.
    mayAnswer: canAnswer(caller),
    receivedAt: context.now(),
  };
  let run = await findActionable(gateway, caller, conversationId);
  for (; ; run = await gateway.find(conversationId)) {
    if (await findEarlierResult(gateway, run, once)) {
      return void response.status(202).json(await readConversation(gateway, run, linksOf));
    }
    refuseFull(run);
    const isTaken = isExecutionClosed(run)
      ? await takeUp(context, run, message)
      : await gateway.signal(run.id, addMessageSignal, message);
    if (isTaken) break;
  }
  const heard = await waitForMessageResult(gateway, conversationId, async (seen) => {
    const isRunning = !isExecutionClosed(seen) && seen.memo.conversation.status === 'running';
    const verdict = await findEarlierResult(gateway, seen, once);
    // Without a key it cannot be a repeat: there is nothing to wait for.
    return verdict || isExecutionClosed(seen) || (isRunning && !once.isKeyed) ? seen : undefined;
  });
  response.status(202).json(await readConversation(gateway, heard ?? run, linksOf));
}

function refuseFull(run: Execution): void {
  if (run.memo.queuedBytes <= MAX_QUEUED_BYTES) return;
  throw new ApiError(
    'too_large',
    'More than 300 KB of messages wait already to be heard. Settle the open question first, or wait for the agent.',
  );
}

/** False if the conversation has moved on since we looked: then look again. */
async function takeUp({ gateway, hiddenBy, now }: ApiDeps, run: Execution, message: unknown): Promise<boolean> {
  const state = await gateway.result(run);
  if (!state) {
    const { parent } = run.memo.conversation;
    throw new ApiError(
      'conversation_finished',
      parent
        ? `The sub-agent is done, and has told ${parent.agent}. Write to conversation ${parent.conversationId} instead.`
        : 'The conversation was ended in Temporal and left nothing to go on from. Start a new one.',
    );
  }
  reopenConversation(state, now());
  if (hiddenBy !== undefined) state.salt ??= hiddenBy;
  if ((await gateway.find(run.id)).runId !== run.runId) return false;
  await gateway.takeUp(state, message);
  return true;
}
