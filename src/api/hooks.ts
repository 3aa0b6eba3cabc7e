import type { Request, Response } from 'express';
import { renderTriggerTemplate } from '#agents/trigger-template';
import type { Agent } from '#contract/agent';
import { OPERATIONS } from '#contract/operations/table';
import type { StartedConversation } from '#contract/responses';
import { createConversationState } from '#core/conversation/state';
import { collectSubagents } from '#core/subagents';
import { callbackOf } from './callback';
import { type Caller, requireScope } from './caller';
import type { Context } from './context';
import { Refusal } from './errors';
import { onceOf } from './identity';
import { bodyOf, refuseLong } from './request';
import { type Handlers, type Parameters, sentBytes } from './routes';
import { accessOf, startOnce } from './start';

export function hooks(context: Context): Pick<Handlers, 'callHook'> {
  return {
    async callHook(request, response) {
      const body = bodyOf(request);
      const agent = context.agents.get(request.params.agent);
      const caller = callerOfHook(context, agent, request, response);
      if (!agent?.trigger) throw noHook(request.params.agent);
      const { said, heard } = renderTriggerTemplate(agent.trigger.message, body);
      refuseLong('message', heard);
      const once = onceOfHook(context, agent, caller, request, body);
      const id = `c-${once.id}`;
      const state = createConversationState(
        {
          id,
          agent,
          message: said,
          heard,
          links: context.linksOf(id),
          access: accessOf(caller, agent, {}, context),
          salt: context.hiddenBy,
          callbackUrl: await callbackOf(context, agent),
          startDigest: once.digest,
          team: collectSubagents(agent, (name) => context.agents.get(name)),
        },
        context.now(),
      );
      await startOnce(context, caller, state);
      response.setHeader('Location', `/v1/conversations/${id}`);
      response.status(202).json({ id, links: context.linksOf(id) } satisfies StartedConversation);
    },
  };
}

const SIGNED: Caller = { name: null, scopes: ['conversations:write'] };

/** A signature where the agent asks for one, and a key where not. Which agents there are is told to those with either. */
function callerOfHook(
  { hookSecrets }: Context,
  agent: Agent | undefined,
  request: Request<Parameters>,
  response: Response,
): Caller {
  const checks = hookSecrets.get(agent?.name ?? '');
  if (!checks) {
    const { caller } = response.locals as { caller?: Caller };
    if (!caller) throw unknownSender(response);
    requireScope(caller, OPERATIONS.callHook.allowed);
    return caller;
  }
  const headers = request.headers as Record<string, string>;
  const sent = sentBytes(request).toString('utf8');
  for (const check of checks) {
    try {
      check.verify(sent, headers, { jsonParse: false });
      return SIGNED;
    } catch {}
  }
  throw unknownSender(response);
}

/** The same for every name: which agents there are, and which have a secret, is not for strangers to find out. */
function unknownSender(response: Response): Refusal {
  response.setHeader('WWW-Authenticate', 'Bearer');
  return new Refusal(
    'unauthenticated',
    'Sign this webhook by Standard Webhooks 1.0, with the secret of its agent and a clock that is right; where the agent has no secret, send a valid key.',
  );
}

/** The sender's own id for this delivery, which stays the same when it is sent again; its body may differ a little then. */
function onceOfHook(
  { secret }: Context,
  agent: Agent,
  caller: Caller,
  request: Request<Parameters>,
  body: unknown,
): ReturnType<typeof onceOf> {
  const what = ['hook', agent.name];
  const delivery = request.get('webhook-id');
  if (!delivery) return onceOf(request, { secret, caller }, what, body);
  return onceOf(request, { secret, caller }, what, delivery, 'webhook-id');
}

function noHook(name: string): Refusal {
  const shown = JSON.stringify(name.slice(0, 200));
  return new Refusal(
    'agent_not_found',
    `There is no agent ${shown} that a webhook can start. Give one a trigger in its file.`,
  );
}
