import type { Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { canAnswer } from '#api/middleware/authentication';
import { ApiError } from '#api/middleware/errors';
import { assertMessageSize } from '#api/middleware/validation';
import type { OperationInput } from '#api/router';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import { MAX_QUEUED_BYTES } from '#core/conversation/messages';
import type { Actor } from '#core/conversation/parse-signal';
import { reopenConversation } from '#core/conversation/state';
import { addMessageSignal } from '#workflows/messages';
import { awaitResult, requireActionable } from './idempotency';
import { readConversation } from './read-conversation';

/** Sends a message to a running conversation, or reopens a finished one with it. */
export async function sendMessage(
  deps: ApiDeps,
  { caller, params, body: { text }, idempotency, actor, receivedAt }: OperationInput<'sendMessage'>,
  response: Response,
): Promise<void> {
  const { gateway, buildLinks } = deps;
  assertMessageSize('text', text);
  const conversationId = params.id;
  const { id, digest } = idempotency;
  const message = {
    text,
    id,
    digest,
    ...actor,
    // A program that may only converse must not answer for a person.
    mayAnswer: canAnswer(caller),
    receivedAt,
  };
  let run: Execution;
  let isAccepted = false;
  do {
    const found = await requireActionable(gateway, caller, conversationId, idempotency);
    run = found.run;
    if (found.earlier) return void response.status(202).json(await readConversation(gateway, run, buildLinks));
    assertQueueHasRoom(run);
    isAccepted = isExecutionClosed(run)
      ? await reopenWithMessage(deps, run, message)
      : await gateway.signal(run.id, addMessageSignal, message);
  } while (!isAccepted);
  const latest = await awaitResult(gateway, conversationId, idempotency, (current, result) => {
    const isRunning = !isExecutionClosed(current) && current.memo.conversation.status === 'running';
    // Without a key it cannot be a repeat, so there is no result to wait for.
    return result || isExecutionClosed(current) || (isRunning && !idempotency.isKeyed) ? current : undefined;
  });
  response.status(202).json(await readConversation(gateway, latest ?? run, buildLinks));
}

function assertQueueHasRoom(run: Execution): void {
  if (run.memo.queuedBytes <= MAX_QUEUED_BYTES) return;
  throw new ApiError(
    'too_large',
    'Too many messages are queued: 300 KB, or about 1,000. Answer the open question first, or wait for the agent.',
  );
}

/** Returns false if the conversation has changed since it was read; the caller reads it again. */
async function reopenWithMessage(
  { gateway, audienceSalt, now }: ApiDeps,
  run: Execution,
  message: Actor,
): Promise<boolean> {
  const state = await gateway.closedState(run);
  if (!state) {
    const { parent } = run.memo.conversation;
    throw new ApiError(
      'conversation_finished',
      parent
        ? `This sub-agent has finished. Message ${parent.agent} in conversation ${parent.conversationId} instead.`
        : "The conversation was ended in Temporal and can't be resumed. Start a new one.",
    );
  }
  reopenConversation(state, now(), message);
  if (audienceSalt !== undefined) state.salt ??= audienceSalt;
  if ((await gateway.find(run.id))?.runId !== run.runId) return false;
  await gateway.reopen(state, message);
  return true;
}
