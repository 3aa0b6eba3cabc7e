import { type Request, type Response, Router } from 'express';
import { CancelBody, ListQuery, MessageBody, StartBody, TimelineQuery } from '../contract/conversation';
import { MESSAGE_BYTES, QUEUED_BYTES } from '../core/settling';
import { begin, reopen } from '../core/state';
import { conversationOf } from '../core/view';
import { addMessage, cancelConversation } from '../workflows/messages';
import type { Context } from './context';
import { onlyMethods, Refusal } from './errors';
import type { Run } from './gateway';
import { digestOf, effectId } from './identity';
import { listConversations } from './listing';
import { isClosed, readConversation, readTimeline } from './reading';
import { parse, parseBody } from './request';
import { untilTold } from './verdicts';

export function conversations(context: Context): Router {
  const router = Router();
  router
    .route('/')
    .post((request, response) => start(context, request, response))
    .get(async (request, response) => {
      const query = parse(ListQuery, request.query);
      response.json(await listConversations(context.gateway, context.secret, query, context.linksOf));
    })
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/:id')
    .get(async (request, response) => {
      response.json(await read(context, await context.gateway.find(request.params.id)));
    })
    .all(onlyMethods('GET'));
  router
    .route('/:id/timeline')
    .get(async (request, response) => {
      const { after } = parse(TimelineQuery, request.query);
      response.json(
        await readTimeline(context.gateway, await context.gateway.find(request.params.id), after),
      );
    })
    .all(onlyMethods('GET'));
  router
    .route('/:id/messages')
    .post((request, response) => say(context, request, response))
    .all(onlyMethods('POST'));
  router
    .route('/:id/cancel')
    .post((request, response) => cancel(context, request, response))
    .all(onlyMethods('POST'));
  return router;
}

function read({ gateway, linksOf }: Context, run: Run) {
  return readConversation(gateway, run, linksOf);
}

function refuseLong(path: string, text: string): void {
  if (Buffer.byteLength(text) <= MESSAGE_BYTES) return;
  throw new Refusal('too_large', 'A message is at most 100 KB.', {
    errors: [{ path, message: 'is over 100 KB' }],
  });
}

async function start(context: Context, request: Request, response: Response): Promise<void> {
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
  const id = body.id ?? `c-${effectId(request, context.secret, 'start')}`;
  const { visibleTo = [], assignees = [] } = body;
  const state = begin(
    {
      id,
      agent,
      message: body.message,
      links: context.linksOf(id),
      metadata: body.metadata,
      access: { visibleTo, assignees },
      callbackUrl: body.callbackUrl,
      policy: body.question,
      startDigest: digestOf(request.body),
    },
    context.now(),
  );
  response.setHeader('Location', `/v1/conversations/${id}`);
  if (await context.gateway.start(state)) return void response.status(201).json(conversationOf(state));
  const run = await context.gateway.find(id);
  if (run.memo.start.digest !== state.startDigest) {
    throw new Refusal('idempotency_conflict', `Conversation ${id} was started before with another body.`);
  }
  response.json(await read(context, run));
}

async function say(context: Context, request: Request<{ id: string }>, response: Response): Promise<void> {
  const { gateway } = context;
  const { text } = parseBody(MessageBody, request);
  refuseLong('text', text);
  const conversationId = request.params.id;
  const id = effectId(request, context.secret, 'message', conversationId);
  const message = { text, id, digest: digestOf(request.body), via: 'http', receivedAt: context.now() };
  for (;;) {
    const run = await gateway.find(conversationId);
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
    const isTold =
      run.memo.verdicts.some((verdict) => verdict.id === id) || run.memo.conversation.status === 'running';
    return isTold || isClosed(run) ? run : undefined;
  });
  response.status(202).json(await read(context, heard ?? (await gateway.find(conversationId))));
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

async function cancel(context: Context, request: Request<{ id: string }>, response: Response): Promise<void> {
  const { gateway } = context;
  const { reason } = parseBody(CancelBody, request);
  const run = await gateway.find(request.params.id);
  const id = effectId(request, context.secret, 'cancel', run.id);
  const finished = new Refusal(
    'conversation_finished',
    'The conversation is finished: there is nothing to cancel.',
  );
  const isMine = (seen: Run) => seen.memo.verdicts.some((verdict) => verdict.id === id);
  if (isClosed(run)) {
    if (!isMine(run)) throw finished;
    return void response.status(202).json(await read(context, run));
  }
  const effect = { id, reason, digest: digestOf(request.body ?? {}), via: 'http', receivedAt: context.now() };
  await gateway.signal(run.id, cancelConversation, effect);
  const ended = await untilTold(gateway, run.id, (seen) =>
    isClosed(seen) || isMine(seen) ? seen : undefined,
  );
  if (ended && !isMine(ended)) throw finished;
  response.status(202).json(await read(context, ended ?? run));
}
