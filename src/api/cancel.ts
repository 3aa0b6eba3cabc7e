import type { Request, Response } from 'express';
import { CancelBody } from '../contract/conversation';
import { cancelConversation } from '../workflows/messages';
import type { Context } from './context';
import { Refusal } from './errors';
import type { Run } from './gateway';
import { digestOf, effectId } from './identity';
import { isClosed, readConversation } from './reading';
import { parseBody } from './request';
import { refuseOtherBody, untilTold } from './verdicts';

/** End a conversation, whatever it is doing. */
export async function cancel(
  context: Context,
  request: Request<{ id: string }>,
  response: Response,
): Promise<void> {
  const { gateway, linksOf } = context;
  const { reason } = parseBody(CancelBody, request);
  const run = await gateway.find(request.params.id);
  const id = effectId(request, context.secret, 'cancel', run.id);
  const finished = new Refusal(
    'conversation_finished',
    'The conversation is finished: there is nothing to cancel.',
  );
  const verdictIn = (seen: Run) => seen.memo.verdicts.find((verdict) => verdict.id === id);
  const effect = { id, reason, digest: digestOf(request.body ?? {}), via: 'http', receivedAt: context.now() };
  const earlier = verdictIn(run);
  if (earlier) {
    refuseOtherBody(earlier, effect);
    return void response.status(202).json(await readConversation(gateway, run, linksOf));
  }
  if (isClosed(run)) throw finished;
  await gateway.signal(run.id, cancelConversation, effect);
  const ended = await untilTold(gateway, run.id, (seen) =>
    isClosed(seen) || verdictIn(seen) ? seen : undefined,
  );
  if (ended && !verdictIn(ended)) throw finished;
  response.status(202).json(await readConversation(gateway, ended ?? run, linksOf));
}
