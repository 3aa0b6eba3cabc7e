import type { Request, Response } from 'express';
import { MessageBody } from '../contract/conversation';
import { QUEUED_BYTES } from '../core/settling';
import { reopen } from '../core/state';
import { addMessage } from '../workflows/messages';
import type { Context } from './context';
import { Refusal } from './errors';
import type { Run } from './gateway';
import { digestOf, effectId } from './identity';
import { isClosed, readConversation } from './reading';
import { parseBody, refuseLong } from './request';
import { refuseOtherBody, untilTold } from './verdicts';

/** A further message: to a conversation under way, or to take a finished one up again. */
export async function say(
  context: Context,
  request: Request<{ id: string }>,
  response: Response,
): Promise<void> {
  const { gateway, linksOf } = context;
  const { text } = parseBody(MessageBody, request);
  refuseLong('text', text);
  const conversationId = request.params.id;
  const id = effectId(request, context.secret, 'message', conversationId);
  const message = { text, id, digest: digestOf(request.body), via: 'http', receivedAt: context.now() };
  const verdictIn = (run: Run) => run.memo.verdicts.find((verdict) => verdict.id === id);
  for (;;) {
    const run = await gateway.find(conversationId);
    const earlier = verdictIn(run);
    if (earlier) {
      refuseOtherBody(earlier, message);
      return void response.status(202).json(await readConversation(gateway, run, linksOf));
    }
    if (run.memo.queuedBytes > QUEUED_BYTES) {
      throw new Refusal(
        'too_large',
        'Too many messages wait already for the question to be settled. Answer it first.',
      );
    }
    if (
      isClosed(run) ? await takeUp(context, run, message) : await gateway.signal(run.id, addMessage, message)
    )
      break;
  }
  const heard = await untilTold(gateway, conversationId, (run) => {
    const isTold = verdictIn(run) || run.memo.conversation.status === 'running';
    return isTold || isClosed(run) ? run : undefined;
  });
  response
    .status(202)
    .json(await readConversation(gateway, heard ?? (await gateway.find(conversationId)), linksOf));
}

/** False if the conversation has moved on since we looked: then look again. */
async function takeUp({ gateway, now }: Context, run: Run, message: unknown): Promise<boolean> {
  const state = await gateway.result(run);
  if (!state) {
    throw new Refusal(
      'conversation_finished',
      'The conversation was ended in Temporal and left nothing to go on from. Start a new one.',
    );
  }
  reopen(state, now());
  if ((await gateway.find(run.id)).runId !== run.runId) return false;
  await gateway.takeUp(state, message);
  return true;
}
