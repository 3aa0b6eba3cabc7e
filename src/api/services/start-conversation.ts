import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { type Principal, requirePrincipal } from '#api/middleware/authentication';
import { ApiError } from '#api/middleware/errors';
import { assertMessageSize, parseBody } from '#api/middleware/validation';
import type { Execution } from '#api/temporal/execution';
import { findPolicyDestinationIssues } from '#channels/destinations';
import { findCallbackUrlIssue } from '#channels/webhook/allowed-receivers';
import type { Agent } from '#contract/agent';
import type { Escalation } from '#contract/notification';
import { AUDIENCE_TOO_LARGE, isIndexableAudience } from '#contract/permissions';
import { StartBody } from '#contract/requests';
import { type ConversationState, createConversationState } from '#core/conversation/state';
import { toConversation } from '#core/projections';
import { pseudonymize } from '#core/search-attributes';
import { collectSubagents } from '#core/subagents';
import { idempotencyFromHeader } from './idempotency';
import { readConversation } from './read-conversation';

/** Starts a conversation, or returns the one already started with the same id or key. */
export async function startConversation(deps: ApiDeps, request: Request, response: Response): Promise<void> {
  const { gateway, buildLinks, secret } = deps;
  const caller = requirePrincipal(response);
  const body = parseBody(StartBody, request, ({ question }) =>
    findPolicyDestinationIssues(deps.channels, question, ['question']),
  );
  assertMessageSize('message', body.message);
  const agent = requireAgent(deps, body.agent);
  const idempotency = idempotencyFromHeader(request, { secret, caller }, ['start'], request.body);
  const id = body.id ?? `c-${idempotency.id}`;
  const state = createConversationState(
    {
      id,
      agent,
      message: body.message,
      links: buildLinks(id),
      metadata: body.metadata,
      access: resolveAccess(caller, agent, body, deps, body.question?.escalate),
      salt: deps.audienceSalt,
      callbackUrl: await resolveCallbackUrl(deps, agent, body.callbackUrl),
      policy: body.question,
      startDigest: idempotency.digest,
      subagentDefinitions: collectSubagents(agent, (name) => deps.agents.get(name)),
    },
    deps.now(),
  );
  const earlier = await startIdempotently(deps, caller, state);
  response.setHeader('Location', `/v1/conversations/${id}`);
  if (!earlier) return void response.status(201).json(toConversation(state));
  response.json(await readConversation(gateway, earlier, buildLinks));
}

/**
 * Returns who may access the new conversation: the caller owns it; viewers and assignees come from the request, or else
 * from the agent.
 */
export function resolveAccess(
  caller: Principal,
  agent: Agent,
  requested: { visibleTo?: string[]; assignees?: string[] },
  { audienceSalt: salt }: Pick<ApiDeps, 'audienceSalt'>,
  escalate: Escalation[] = agent.questions.escalate,
): ConversationState['access'] {
  const { visibleTo = agent.visibleTo, assignees = agent.questions.assignees } = requested;
  const names = [...visibleTo, ...assignees, ...escalate.flatMap(({ to }) => to)];
  if (!isIndexableAudience(salt === undefined ? names : names.map((name) => pseudonymize(name, salt)))) {
    const errors = [{ path: 'visibleTo', message: AUDIENCE_TOO_LARGE }];
    throw new ApiError('invalid_request', `Invalid request. ${AUDIENCE_TOO_LARGE}.`, { errors });
  }
  return { owner: caller.name, visibleTo, assignees };
}

/** Starts the conversation, or returns the existing run if the same caller made the same request before. */
export async function startIdempotently(
  { gateway }: ApiDeps,
  caller: Principal,
  state: ConversationState,
): Promise<Execution | undefined> {
  if (await gateway.start(state)) return undefined;
  const conflict = new ApiError('idempotency_conflict', `The id ${state.id} was already used by a different request.`);
  const run = await gateway.find(state.id);
  if (!run) throw conflict;
  const { digest, access } = run.memo.start;
  if (digest !== state.startDigest || access.owner !== caller.name) throw conflict;
  return run;
}

function requireAgent(deps: ApiDeps, name: string): Agent {
  const agent = deps.agents.get(name);
  if (agent) return agent;
  const allowed = [...deps.agents.keys()];
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
