import type { Request, Response } from 'express';
import { StartBody } from '../contract/requests';
import { begin } from '../core/state';
import { conversationOf } from '../core/view';
import type { Context } from './context';
import { Refusal } from './errors';
import { onceOf } from './identity';
import { readConversation } from './reading';
import { parseBody, refuseLong } from './request';

/** Start a conversation, or find that it is started already under that id or key. */
export async function start(context: Context, request: Request, response: Response): Promise<void> {
  const { gateway, linksOf } = context;
  const body = parseBody(StartBody, request);
  refuseLong('message', body.message);
  const agent = context.agents.get(body.agent);
  if (!agent) {
    const allowed = [...context.agents.keys()];
    const errors = [{ path: 'agent', message: 'there is no such agent', allowed }];
    throw new Refusal(
      'unknown_agent',
      `There is no agent ${JSON.stringify(body.agent.slice(0, 200))}. There are: ${allowed.join(', ')}.`,
      { errors },
    );
  }
  const once = onceOf(request, context.secret, ['start'], request.body);
  const id = body.id ?? `c-${once.id}`;
  const { visibleTo = [], assignees = [] } = body;
  const state = begin(
    {
      id,
      agent,
      message: body.message,
      links: linksOf(id),
      metadata: body.metadata,
      access: { visibleTo, assignees },
      callbackUrl: body.callbackUrl,
      policy: body.question,
      startDigest: once.digest,
    },
    context.now(),
  );
  response.setHeader('Location', `/v1/conversations/${id}`);
  if (await gateway.start(state)) return void response.status(201).json(conversationOf(state));
  const conflict = new Refusal(
    'idempotency_conflict',
    `The id ${id} was used before to start something else.`,
  );
  const run = await gateway.find(id).catch((error: unknown) => {
    throw error instanceof Refusal ? conflict : error;
  });
  if (run.memo.start.digest !== state.startDigest) throw conflict;
  response.json(await readConversation(gateway, run, linksOf));
}
