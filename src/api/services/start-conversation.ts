import type { Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { mayStart, type Principal } from '#api/middleware/authentication';
import { ApiError } from '#api/middleware/errors';
import { assertMessageSize } from '#api/middleware/validation';
import type { OperationInput } from '#api/router';
import type { Execution } from '#api/temporal/execution';
import { findCallbackUrlIssue } from '#channels/webhook/allowed-receivers';
import type { Agent, Budget } from '#contract/agent';
import { AUDIENCE_TOO_LARGE, isIndexableAudience } from '#contract/permissions';
import type { StartBody } from '#contract/requests';
import type { Actor } from '#core/conversation/parse-signal';
import { type ConversationState, createConversationState, type NewConversation } from '#core/conversation/state';
import { toConversation } from '#core/projections';
import { pseudonymize } from '#core/search-attributes';
import { collectSubagents } from '#core/subagents';
import { highestRates } from '#infra/model-prices';
import type { Idempotency } from './idempotency';
import { readConversation } from './read-conversation';

/** Starts a conversation, or returns the one already started with the same id or key. */
export async function startConversation(
  deps: ApiDeps,
  { caller, body, idempotency, actor }: OperationInput<'startConversation'>,
  response: Response,
): Promise<void> {
  const { gateway, buildLinks } = deps;
  assertMessageSize('message', body.message);
  const agent = requireAgent(deps, caller, body.agent);
  const { state, earlier } = await startIdempotently(deps, caller, agent, idempotency, { ...body, startedBy: actor });
  response.setHeader('Location', `/v1/conversations/${state.id}`);
  if (!earlier) return void response.status(201).json(toConversation(state));
  response.json(await readConversation(gateway, earlier, buildLinks));
}

type StartRequest = Pick<StartBody, 'message'> & Partial<StartBody> & { modelText?: string; startedBy: Actor };

/** Starts the conversation, or finds the existing run if the same caller made the same request before. */
export async function startIdempotently(
  deps: ApiDeps,
  caller: Principal,
  agent: Agent,
  idempotency: Idempotency,
  requested: StartRequest,
): Promise<{ state: ConversationState; earlier: Execution | undefined }> {
  const { gateway } = deps;
  const {
    id = `c-${idempotency.id}`,
    message,
    modelText,
    startedBy,
    metadata,
    question: policy,
    callbackUrl,
  } = requested;
  const subagentDefinitions = collectSubagents(agent, (name) => deps.agents.get(name));
  const state = createConversationState(
    {
      id,
      agent,
      message,
      modelText,
      startedBy,
      links: deps.buildLinks(id),
      metadata,
      access: resolveAccess(caller, agent, requested, deps),
      salt: deps.audienceSalt,
      callbackUrl: await resolveCallbackUrl(deps, agent, callbackUrl),
      policy,
      startDigest: idempotency.digest,
      subagentDefinitions,
      ...resolveBudget(deps, [agent, ...Object.values(subagentDefinitions)], agent.budget, requested.budget),
    },
    deps.now(),
  );
  if (await gateway.start(state)) return { state, earlier: undefined };
  const earlier = await gateway.find(id);
  const { digest, access } = earlier?.memo.start ?? {};
  if (digest !== state.startDigest || access?.owner !== caller.name)
    throw new ApiError('idempotency_conflict', `The id ${id} was already used by a different request.`);
  return { state, earlier };
}

/**
 * Returns who may access the new conversation: the caller owns it; viewers and assignees come from the request, or else
 * from the agent.
 */
function resolveAccess(
  caller: Principal,
  agent: Agent,
  { visibleTo = agent.visibleTo, assignees = agent.questions.assignees, question }: StartRequest,
  { audienceSalt: salt }: Pick<ApiDeps, 'audienceSalt'>,
): ConversationState['access'] {
  const escalate = question?.escalate ?? agent.questions.escalate;
  const names = [...visibleTo, ...assignees, ...escalate.flatMap(({ to }) => to)];
  if (!isIndexableAudience(salt === undefined ? names : names.map((name) => pseudonymize(name, salt)))) {
    const errors = [{ path: 'visibleTo', message: AUDIENCE_TOO_LARGE }];
    throw new ApiError('invalid_request', `Invalid request. ${AUDIENCE_TOO_LARGE}.`, { errors });
  }
  return { owner: caller.name, visibleTo, assignees };
}

/** Returns the budget, which the request may only narrow, and the rates to count it with. */
function resolveBudget(
  { findModelPrice }: Pick<ApiDeps, 'findModelPrice'>,
  team: Agent[],
  own: Budget | undefined,
  requested: Budget | undefined,
): Pick<NewConversation, 'budget' | 'modelRates'> {
  const errors = (['usd', 'tokens', 'calls'] as const).flatMap((unit) => {
    const most = own?.[unit];
    if (most === undefined || (requested?.[unit] ?? 0) <= most) return [];
    return [{ path: `budget.${unit}`, message: `must be at most ${most}, the agent's own budget` }];
  });
  if (own?.onLimit === 'stop' && requested?.onLimit === 'ask')
    errors.push({ path: 'budget.onLimit', message: 'must be stop, as the agent says' });
  const budget = requested ? { ...own, ...requested } : own;
  const isInUsd = [budget, ...team.map((agent) => agent.budget)].some((each) => each?.usd !== undefined);
  const models = team.flatMap(({ model, fallbackModel }) => [model, ...(fallbackModel ? [fallbackModel] : [])]);
  const prices = isInUsd ? models.map((model) => ({ model, price: findModelPrice(model) })) : [];
  for (const { model, price } of prices) {
    const message = `the price of ${model} is unknown: set PARLEY_MODEL_PRICES, or limit tokens or calls instead`;
    if (!price) errors.push({ path: 'budget.usd', message });
  }
  const [first] = errors;
  if (first) throw new ApiError('invalid_request', `Invalid ${first.path}: ${first.message}.`, { errors });
  return { budget, ...(isInUsd ? { modelRates: highestRates(prices.flatMap(({ price }) => price ?? [])) } : {}) };
}

function requireAgent(deps: ApiDeps, caller: Principal, name: string): Agent {
  const agent = deps.agents.get(name);
  if (agent && mayStart(caller, name)) return agent;
  const allowed = [...deps.agents.keys()].filter((other) => mayStart(caller, other));
  const errors = [{ path: 'agent', message: 'unknown agent', allowed }];
  const shown = JSON.stringify(name.slice(0, 200));
  throw new ApiError('unknown_agent', `No agent named ${shown}. Available: ${allowed.join(', ')}.`, {
    errors,
  });
}

/**
 * Returns the callback URL of the request, or else of the agent. Refuses an undeliverable URL now, while the caller can
 * still fix it.
 */
export async function resolveCallbackUrl(
  { httpClient }: Pick<ApiDeps, 'httpClient'>,
  agent: Pick<Agent, 'name' | 'callbackUrl'>,
  requestedUrl?: string,
): Promise<string | undefined> {
  const callbackUrl = requestedUrl ?? agent.callbackUrl;
  if (callbackUrl === undefined) return undefined;
  const message = await findCallbackUrlIssue(callbackUrl, httpClient);
  if (message === null) return callbackUrl;
  const subject = requestedUrl ? 'callbackUrl' : `callbackUrl of agent ${agent.name}`;
  throw new ApiError('invalid_request', `Invalid ${subject}. ${message}`, {
    errors: [{ path: 'callbackUrl', message }],
  });
}
