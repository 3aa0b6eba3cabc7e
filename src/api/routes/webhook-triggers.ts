import type { Request, Response } from 'express';
import { Webhook } from 'standardwebhooks';
import type { AgentsByName } from '#agents/load-agents';
import { renderTriggerTemplate } from '#agents/trigger-template';
import type { ApiDeps } from '#api/dependencies';
import { type Principal, requireScope } from '#api/middleware/authentication';
import { ApiError } from '#api/middleware/errors';
import { idempotencyFromHeader } from '#api/middleware/idempotency';
import { assertMessageSize, jsonBody } from '#api/middleware/validation';
import { type OperationHandlers, type PathParameters, rawBodyOf } from '#api/router';
import { resolveAccess, resolveCallbackUrl, startIdempotently } from '#api/services/start-conversation';
import type { Agent } from '#contract/agent';
import { WEBHOOK_SECRET_PATTERN } from '#contract/channel-settings';
import { OPERATIONS } from '#contract/operations/table';
import type { StartedConversation } from '#contract/responses';
import { createConversationState } from '#core/conversation/state';
import { collectSubagents } from '#core/subagents';
import { type Config, ConfigError } from '#infra/config';

export function webhookTriggerRoutes(context: ApiDeps): Pick<OperationHandlers, 'callHook'> {
  return {
    async callHook(request, response) {
      const body = jsonBody(request);
      const agent = context.agents.get(request.params.agent);
      const caller = callerOfHook(context, agent, request, response);
      if (!agent?.trigger) throw noHook(request.params.agent);
      const { said, heard } = renderTriggerTemplate(agent.trigger.message, body);
      assertMessageSize('message', heard);
      const once = onceOfHook(context, agent, caller, request, body);
      const id = `c-${once.id}`;
      const state = createConversationState(
        {
          id,
          agent,
          message: said,
          heard,
          links: context.linksOf(id),
          access: resolveAccess(caller, agent, {}, context),
          salt: context.hiddenBy,
          callbackUrl: await resolveCallbackUrl(context, agent),
          startDigest: once.digest,
          team: collectSubagents(agent, (name) => context.agents.get(name)),
        },
        context.now(),
      );
      await startIdempotently(context, caller, state);
      response.setHeader('Location', `/v1/conversations/${id}`);
      response.status(202).json({ id, links: context.linksOf(id) } satisfies StartedConversation);
    },
  };
}

const SIGNED: Principal = { name: null, scopes: ['conversations:write'] };

/** A signature where the agent asks for one, and a key where not. Which agents there are is told to those with either. */
function callerOfHook(
  { hookSecrets }: ApiDeps,
  agent: Agent | undefined,
  request: Request<PathParameters>,
  response: Response,
): Principal {
  const checks = hookSecrets.get(agent?.name ?? '');
  if (!checks) {
    const { caller } = response.locals as { caller?: Principal };
    if (!caller) throw unknownSender(response);
    requireScope(caller, OPERATIONS.callHook.allowed);
    return caller;
  }
  const headers = request.headers as Record<string, string>;
  const sent = rawBodyOf(request).toString('utf8');
  for (const check of checks) {
    try {
      check.verify(sent, headers, { jsonParse: false });
      return SIGNED;
    } catch {}
  }
  throw unknownSender(response);
}

/** The same for every name: which agents there are, and which have a secret, is not for strangers to find out. */
function unknownSender(response: Response): ApiError {
  response.setHeader('WWW-Authenticate', 'Bearer');
  return new ApiError(
    'unauthenticated',
    'Sign this webhook by Standard Webhooks 1.0, with the secret of its agent and a clock that is right; where the agent has no secret, send a valid key.',
  );
}

/** The sender's own id for this delivery, which stays the same when it is sent again; its body may differ a little then. */
function onceOfHook(
  { secret }: ApiDeps,
  agent: Agent,
  caller: Principal,
  request: Request<PathParameters>,
  body: unknown,
): ReturnType<typeof idempotencyFromHeader> {
  const what = ['hook', agent.name];
  const delivery = request.get('webhook-id');
  if (!delivery) return idempotencyFromHeader(request, { secret, caller }, what, body);
  return idempotencyFromHeader(request, { secret, caller }, what, delivery, 'webhook-id');
}

function noHook(name: string): ApiError {
  const shown = JSON.stringify(name.slice(0, 200));
  return new ApiError(
    'agent_not_found',
    `There is no agent ${shown} that a webhook can start. Give one a trigger in its file.`,
  );
}

/** For each agent that wants its webhooks signed, what checks them: more than one while a secret is being changed. */
export type TriggerSecrets = ReadonlyMap<string, Webhook[]>;

/** Reads the variables that the agents' files name, and names every fault. */
export function readTriggerSecrets(agents: AgentsByName, environment: Config['environment']): TriggerSecrets {
  const secrets = new Map<string, Webhook[]>();
  const faults: string[] = [];
  for (const { name, trigger } of agents.values()) {
    if (!trigger?.secret) continue;
    const written = environment[trigger.secret]?.split(/[\s,]+/).filter((secret) => secret !== '') ?? [];
    const checks = written.flatMap((secret) => webhookOf(secret) ?? []);
    if (written.length === 0 || checks.length < written.length)
      faults.push(
        `  ${trigger.secret}: the agent ${name} wants its webhooks signed; set it to whsec_ and at least 24 bytes in base64`,
      );
    secrets.set(name, checks);
  }
  if (faults.length > 0) throw new ConfigError(`The environment has faults:\n${faults.join('\n')}`);
  return secrets;
}

function webhookOf(secret: string): Webhook | undefined {
  return WEBHOOK_SECRET_PATTERN.test(secret) ? new Webhook(secret) : undefined;
}
