import type { Request, Response } from 'express';
import { Webhook } from 'standardwebhooks';
import type { AgentsByName } from '#agents/load-agents';
import { renderTriggerTemplate } from '#agents/trigger-template';
import type { ApiDeps } from '#api/dependencies';
import { mayStart, type Principal, requireScope } from '#api/middleware/authentication';
import { ApiError } from '#api/middleware/errors';
import { assertMessageSize } from '#api/middleware/validation';
import { type OperationHandlers, rawBodyOf } from '#api/router';
import { idempotencyFromHeader } from '#api/services/idempotency';
import { startIdempotently } from '#api/services/start-conversation';
import { WEBHOOK_SECRET_PATTERN } from '#channels/webhook/signing-secrets';
import type { Agent } from '#contract/agent';
import { OPERATIONS } from '#contract/operations/table';
import type { StartedConversation } from '#contract/responses';
import { type Config, ConfigError } from '#infra/config';

export function webhookTriggerRoutes(deps: ApiDeps): Pick<OperationHandlers, 'callHook'> {
  return {
    async callHook({ params }, response, request) {
      // As sent: a body of null is not an empty object.
      const body: unknown = request.body;
      const agent = deps.agents.get(params.agent);
      const caller = authenticateTrigger(deps, agent, request, response);
      if (!agent?.trigger || !mayStart(caller, agent.name)) {
        const shown = JSON.stringify(params.agent.slice(0, 200));
        throw new ApiError('agent_not_found', `No agent named ${shown} has a webhook trigger. Add one to its file.`);
      }
      const { displayText: message, modelText } = renderTriggerTemplate(agent.trigger.message, body);
      assertMessageSize('message', modelText);
      // The sender's delivery id is the same for retries, even if their bodies differ slightly.
      const delivery = request.get('webhook-id');
      const [header, content] = delivery ? (['webhook-id', delivery] as const) : ([undefined, body] as const);
      const operation = ['hook', agent.name];
      const idempotency = idempotencyFromHeader(request, deps.secret, caller, operation, content, header);
      const startedBy = { by: caller.name ?? undefined, via: 'webhook' };
      const { state } = await startIdempotently(deps, caller, agent, idempotency, { message, modelText, startedBy });
      response.setHeader('Location', `/v1/conversations/${state.id}`);
      response.status(202).json({ id: state.id, links: state.links } satisfies StartedConversation);
    },
  };
}

const SIGNED_PRINCIPAL: Principal = { name: null, scopes: ['conversations:write'] };

/**
 * Authenticates by signature if the agent has a secret, else by API key. Only authenticated callers learn which agents
 * exist.
 */
function authenticateTrigger(
  { triggerSecrets }: ApiDeps,
  agent: Agent | undefined,
  request: Request<{ agent: string }>,
  response: Response,
): Principal {
  const verifiers = triggerSecrets.get(agent?.name ?? '');
  if (!verifiers) {
    const { caller } = response.locals as { caller?: Principal };
    if (!caller) throw unauthenticatedError(response);
    requireScope(caller, OPERATIONS.callHook.requiredScopes);
    return caller;
  }
  const headers = request.headers as Record<string, string>;
  const rawBody = rawBodyOf(request).toString('utf8');
  for (const verifier of verifiers) {
    try {
      verifier.verify(rawBody, headers, { jsonParse: false });
      return SIGNED_PRINCIPAL;
    } catch {}
  }
  throw unauthenticatedError(response);
}

/**
 * The same error for every agent name, so that unauthenticated callers cannot learn which agents exist or have a
 * secret.
 */
function unauthenticatedError(response: Response): ApiError {
  response.setHeader('WWW-Authenticate', 'Bearer');
  return new ApiError(
    'unauthenticated',
    "Sign this webhook (Standard Webhooks 1.0) with the agent's secret and a correct timestamp, or send a valid API key if the agent has no secret.",
  );
}

/** Verifiers for each agent with signed webhooks; more than one during a rotation of secrets. */
export type TriggerSecrets = ReadonlyMap<string, Webhook[]>;

/** Reads the variables that the agent files name, and reports every issue at once. */
export function readTriggerSecrets(agents: AgentsByName, environment: Config['environment']): TriggerSecrets {
  const secrets = new Map<string, Webhook[]>();
  const issues: string[] = [];
  for (const { name, trigger } of agents.values()) {
    if (!trigger?.secret) continue;
    const configured = environment[trigger.secret]?.split(/[\s,]+/).filter((secret) => secret !== '') ?? [];
    const valid = configured.filter((secret) => WEBHOOK_SECRET_PATTERN.test(secret));
    if (configured.length === 0 || valid.length < configured.length)
      issues.push(
        `  ${trigger.secret}: required to verify webhooks of agent ${name}; set it to whsec_ and at least 24 bytes in base64`,
      );
    secrets.set(
      name,
      valid.map((secret) => new Webhook(secret)),
    );
  }
  if (issues.length > 0) throw new ConfigError(`Invalid environment variables:\n${issues.join('\n')}`);
  return secrets;
}
