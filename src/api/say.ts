import type { Request, Response } from 'express';
import { MessageBody } from '#contract/requests';
import { MAX_QUEUED_BYTES } from '#core/conversation/messages';
import { reopenConversation } from '#core/conversation/state';
import { addMessageSignal } from '#workflows/messages';
import { findToActOn } from './access';
import { callerOf, mayAnswer, senderOf } from './caller';
import type { Context } from './context';
import { Refusal } from './errors';
import { onceOf } from './identity';
import { readConversation } from './reading';
import { parseBody, refuseLong } from './request';
import { isClosed, type Run } from './run';
import { earlierVerdict, untilTold } from './verdicts';

/** A further message: to a conversation under way, or to take a finished one up again. */
export async function say(context: Context, request: Request<{ id: string }>, response: Response): Promise<void> {
  const { gateway, linksOf, secret } = context;
  const caller = callerOf(response);
  const { text } = parseBody(MessageBody, request);
  refuseLong('text', text);
  const conversationId = request.params.id;
  const once = onceOf(request, { secret, caller }, ['message', conversationId], request.body);
  const { id, digest } = once;
  const message = {
    text,
    id,
    digest,
    ...senderOf(request, caller),
    // A program that may only converse cannot answer in a person's stead.
    mayAnswer: mayAnswer(caller),
    receivedAt: context.now(),
  };
  let run = await findToActOn(gateway, caller, conversationId);
  for (; ; run = await gateway.find(conversationId)) {
    if (await earlierVerdict(gateway, run, once)) {
      return void response.status(202).json(await readConversation(gateway, run, linksOf));
    }
    refuseFull(run);
    const isTaken = isClosed(run)
      ? await takeUp(context, run, message)
      : await gateway.signal(run.id, addMessageSignal, message);
    if (isTaken) break;
  }
  const heard = await untilTold(gateway, conversationId, async (seen) => {
    const isRunning = !isClosed(seen) && seen.memo.conversation.status === 'running';
    const verdict = await earlierVerdict(gateway, seen, once);
    // Without a key it cannot be a repeat: there is nothing to wait for.
    return verdict || isClosed(seen) || (isRunning && !once.isKeyed) ? seen : undefined;
  });
  response.status(202).json(await readConversation(gateway, heard ?? run, linksOf));
}

function refuseFull(run: Run): void {
  if (run.memo.queuedBytes <= MAX_QUEUED_BYTES) return;
  throw new Refusal(
    'too_large',
    'More than 300 KB of messages wait already to be heard. Settle the open question first, or wait for the agent.',
  );
}

/** False if the conversation has moved on since we looked: then look again. */
async function takeUp({ gateway, hiddenBy, now }: Context, run: Run, message: unknown): Promise<boolean> {
  const state = await gateway.result(run);
  if (!state) {
    const { parent } = run.memo.conversation;
    throw new Refusal(
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
