import type { Request, Response } from 'express';
import { CancelBody } from '#contract/requests';
import { cancelConversationSignal } from '#workflows/messages';
import { findToActOn } from './access';
import { callerOf, senderOf } from './caller';
import type { Context } from './context';
import { Refusal } from './errors';
import type { Gateway } from './gateway';
import { onceOf } from './identity';
import { readConversation } from './reading';
import { parseBody } from './request';
import { isClosed } from './run';
import { isFull } from './temporal-trouble';
import { earlierVerdict, refuseOtherBody, untilTold } from './verdicts';

/** End a conversation, whatever it is doing. */
export async function cancel(context: Context, request: Request<{ id: string }>, response: Response): Promise<void> {
  const { gateway, linksOf, secret } = context;
  const caller = callerOf(response);
  const { reason } = parseBody(CancelBody, request);
  const sender = senderOf(request, caller);
  const run = await findToActOn(gateway, caller, request.params.id);
  const once = onceOf(request, { secret, caller }, ['cancel', run.id], request.body ?? {});
  const { id, digest } = once;
  if (await earlierVerdict(gateway, run, once)) {
    return void response.status(202).json(await readConversation(gateway, run, linksOf));
  }
  if (isClosed(run)) throw finished();
  const effect = { id, digest, reason, ...sender, receivedAt: context.now() };
  const isOurs = await send(gateway, run.id, effect);
  const ended = await untilTold(gateway, run.id, (seen) => {
    const verdict = seen.memo.verdicts.find((candidate) => candidate.id === id);
    if (verdict) refuseOtherBody(verdict, once);
    else if (isClosed(seen) && isOurs) throw finished();
    return verdict || isClosed(seen) ? seen : undefined;
  });
  response.status(202).json(await readConversation(gateway, ended ?? run, linksOf));
}

/** False where the run takes no more signals, and had to be cancelled by Temporal's own means. */
async function send(gateway: Gateway, id: string, effect: { id: string }): Promise<boolean> {
  try {
    if (await gateway.signal(id, cancelConversationSignal, effect)) return true;
    // It has ended since we looked, by a try of this very cancel maybe.
    const { memo } = await gateway.find(id);
    if (!memo.verdicts.some((verdict) => verdict.id === effect.id)) throw finished();
    return true;
  } catch (error) {
    if (!isFull(error)) throw error;
    await gateway.cancel(id);
    return false;
  }
}

function finished(): Refusal {
  return new Refusal('conversation_finished', 'The conversation is finished: there is nothing to cancel.');
}
