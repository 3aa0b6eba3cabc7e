import type { RequestHandler, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { findPerson } from '#channels/people';
import type { Operation } from '#contract/operations/operation';
import type { Person } from '#contract/people';
import { type ApiKey, hasScope, Scope } from '#contract/permissions';
import { findApiKey } from '#infra/crypto/api-keys';
import { ApiError } from './errors';
import { readSession } from './session-cookie';

/** The caller of a request. Without API keys it is a user of this machine, who has no name and may do everything. */
export interface Principal {
  name: string | null;
  scopes: readonly Scope[];
  key?: ApiKey;
  /** The caller's email addresses, which also count as names. */
  aliases?: string[];
  /** Neither a key nor a configured person has this name, so `*` does not include them. */
  isUnregistered?: true;
  /** Holds an answer link that was given out by a caller who may answer. Valid for that one question. */
  holdsLink?: true;
}

const LOCAL_PRINCIPAL: Principal = { name: null, scopes: Scope.options };

/** Identifies the caller of a request. Each route decides whether that caller may use it. */
export function authenticate(
  keys: readonly ApiKey[] | undefined,
  deps: Pick<ApiDeps, 'secret' | 'url' | 'now' | 'channelSettings' | 'uiOrigins'>,
): RequestHandler {
  return (request, response, next) => {
    if (!keys) response.locals.caller = LOCAL_PRINCIPAL;
    else {
      const bearer = /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.get('authorization') ?? '')?.[1];
      const key = bearer ? findApiKey(keys, bearer) : readSession(request, keys, deps);
      if (key) {
        const { name, scopes } = key;
        const aliases = findPerson(deps.channelSettings.people, name)?.emails;
        response.locals.caller = { name, scopes, key, aliases } satisfies Principal;
      }
    }
    next();
  };
}

/**
 * Returns the principal of a person who answers in Slack, by email or through a link. They have the rights of their
 * name and no others.
 */
export function principalFor(name: string, keys: readonly ApiKey[] | undefined, people: readonly Person[]): Principal {
  if (!keys) return { name, scopes: Scope.options };
  const isKnown = [...keys, ...people].some((entry) => entry.name === name);
  const aliases = findPerson(people, name)?.emails;
  return { name, scopes: ['questions:answer'], aliases, ...(isKnown ? {} : { isUnregistered: true as const }) };
}

function requirePrincipal(response: Response): Principal {
  const { caller } = response.locals as { caller?: Principal };
  if (caller) return caller;
  response.setHeader('WWW-Authenticate', 'Bearer');
  throw new ApiError(
    'unauthenticated',
    'Missing or invalid API key. Send Authorization: Bearer parley_…, or ask your administrator for a key.',
  );
}

/** Requires one of the operation's scopes. */
export function requireScopes({ requiredScopes, acceptsSignature }: Operation): RequestHandler {
  return (_request, response, next) => {
    if (requiredScopes !== 'anybody' && !acceptsSignature) requireScope(requirePrincipal(response), requiredScopes);
    next();
  };
}

export function requireScope(caller: Principal, scopes: readonly Scope[]): void {
  if (scopes.length === 0 || scopes.some((scope) => hasScope(caller, scope))) return;
  const heldScopes = caller.scopes.join(', ');
  throw new ApiError(
    'forbidden',
    `Requires the scope ${scopes.join(' or ')}; the key of ${caller.name} has ${heldScopes}. Ask your administrator for access.`,
  );
}

/** Returns whether the caller may start this agent. To a caller who may not, it does not exist. */
export function mayStart({ key }: Principal, agentName: string): boolean {
  return key?.agents?.includes(agentName) ?? true;
}

export function isAdmin(caller: Principal): boolean {
  return hasScope(caller, 'admin');
}

export function canAnswer(caller: Principal): boolean {
  return hasScope(caller, 'questions:answer');
}
