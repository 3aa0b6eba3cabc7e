import type { Request, Response } from 'express';
import type { Agent } from '#contract/agent';
import type { Escalation } from '#contract/notification';
import { AUDIENCE_TOO_LARGE, isIndexableAudience } from '#contract/permissions';
import { StartBody } from '#contract/requests';
import { type ConversationState, createConversationState } from '#core/conversation/state';
import { toConversation } from '#core/projections';
import { pseudonymize } from '#core/search-attributes';
import { collectSubagents } from '#core/subagents';
import { callbackOf } from './callback';
import { type Caller, callerOf } from './caller';
import type { Context } from './context';
import { Refusal } from './errors';
import { onceOf } from './identity';
import { readConversation } from './reading';
import { parseBody, refuseLong } from './request';
import type { Run } from './run';

/** Start a conversation, or find that it is started already under that id or key. */
export async function start(context: Context, request: Request, response: Response): Promise<void> {
  const { gateway, linksOf, secret } = context;
  const caller = callerOf(response);
  const body = parseBody(StartBody, request);
  refuseLong('message', body.message);
  const agent = agentOf(context, body.agent);
  const once = onceOf(request, { secret, caller }, ['start'], request.body);
  const id = body.id ?? `c-${once.id}`;
  const state = createConversationState(
    {
      id,
      agent,
      message: body.message,
      links: linksOf(id),
      metadata: body.metadata,
      access: accessOf(caller, agent, body, context, body.question?.escalate),
      salt: context.hiddenBy,
      callbackUrl: await callbackOf(context, agent, body.callbackUrl),
      policy: body.question,
      startDigest: once.digest,
      team: collectSubagents(agent, (name) => context.agents.get(name)),
    },
    context.now(),
  );
  const earlier = await startOnce(context, caller, state);
  response.setHeader('Location', `/v1/conversations/${id}`);
  if (!earlier) return void response.status(201).json(toConversation(state));
  response.json(await readConversation(gateway, earlier, linksOf));
}

/** It belongs to who starts it. Who else may see it and answer is said by the start, or else by the agent. */
export function accessOf(
  caller: Caller,
  agent: Agent,
  said: { visibleTo?: string[]; assignees?: string[] },
  { hiddenBy: salt }: Pick<Context, 'hiddenBy'>,
  escalate: Escalation[] = agent.questions.escalate ?? [],
): ConversationState['access'] {
  const { visibleTo = agent.visibleTo, assignees = agent.questions.assignees } = said;
  const named = [...visibleTo, ...assignees, ...escalate.flatMap(({ to }) => to)];
  if (!isIndexableAudience(salt === undefined ? named : named.map((name) => pseudonymize(name, salt)))) {
    const errors = [{ path: 'visibleTo', message: AUDIENCE_TOO_LARGE }];
    throw new Refusal('invalid_request', `The request is not valid. ${AUDIENCE_TOO_LARGE}.`, { errors });
  }
  return { owner: caller.name, visibleTo, assignees };
}

/** Start it; the run there is already, if the same caller has asked for the same before. */
export async function startOnce(
  { gateway }: Context,
  caller: Caller,
  state: ConversationState,
): Promise<Run | undefined> {
  if (await gateway.start(state)) return undefined;
  const conflict = new Refusal('idempotency_conflict', `The id ${state.id} was used before to start something else.`);
  const run = await gateway.find(state.id).catch((error: unknown) => {
    throw error instanceof Refusal ? conflict : error;
  });
  const { digest, access } = run.memo.start;
  if (digest !== state.startDigest || access.owner !== caller.name) throw conflict;
  return run;
}

function agentOf(context: Context, name: string): Agent {
  const agent = context.agents.get(name);
  if (agent) return agent;
  const allowed = [...context.agents.keys()];
  const errors = [{ path: 'agent', message: 'there is no such agent', allowed }];
  const shown = JSON.stringify(name.slice(0, 200));
  throw new Refusal('unknown_agent', `There is no agent ${shown}. There are: ${allowed.join(', ')}.`, {
    errors,
  });
}
