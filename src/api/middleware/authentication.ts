import type { Request, RequestHandler, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { findPerson } from '#channels/people';
import type { Person } from '#contract/channel-settings';
import type { Operation } from '#contract/operations/operation';
import { type ApiKey, Scope } from '#contract/permissions';
import { ClientChannel } from '#contract/requests';
import { findApiKey } from '#infra/crypto/api-keys';
import { ApiError } from './errors';
import { readSession } from './session-cookie';
import { parseInput } from './validation';

/** Who a request is from. Where no keys are set that is whoever is on this machine, who has no name and may do all. */
export interface Principal {
  name: string | null;
  scopes: readonly Scope[];
  key?: ApiKey;
  /** Their addresses, by which they may be named, too. */
  aliases?: string[];
  /** Neither a key nor a configured person has this name, so `*` does not include them. */
  isUnregistered?: true;
  /** Holds a link that somebody who may answer gave out: good for that one question. */
  holdsLink?: true;
}

const LOCAL_PRINCIPAL: Principal = { name: null, scopes: Scope.options };

/** Finds out who a request is from, and leaves it to each route whether that will do. */
export function authenticate(
  keys: readonly ApiKey[] | undefined,
  deps: Pick<ApiDeps, 'secret' | 'url' | 'now' | 'channels' | 'uiOrigins'>,
): RequestHandler {
  return (request, response, next) => {
    if (!keys) response.locals.caller = LOCAL_PRINCIPAL;
    else {
      const bearer = /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.get('authorization') ?? '')?.[1];
      const key = bearer ? findApiKey(keys, bearer) : readSession(request, keys, deps);
      if (key) {
        const { name, scopes } = key;
        const aliases = findPerson(deps.channels.people, name)?.emails;
        response.locals.caller = { name, scopes, key, aliases } satisfies Principal;
      }
    }
    next();
  };
}

/** Somebody who answers in Slack, by mail or by a link: under their name, and with no right that comes from elsewhere. */
export function principalFor(name: string, keys: readonly ApiKey[] | undefined, people: readonly Person[]): Principal {
  if (!keys) return { name, scopes: Scope.options };
  const isKnown = [...keys, ...people].some((entry) => entry.name === name);
  const aliases = findPerson(people, name)?.emails;
  return { name, scopes: ['questions:answer'], aliases, ...(isKnown ? {} : { isUnregistered: true as const }) };
}

export function requirePrincipal(response: Response): Principal {
  const { caller } = response.locals as { caller?: Principal };
  if (caller) return caller;
  response.setHeader('WWW-Authenticate', 'Bearer');
  throw new ApiError(
    'unauthenticated',
    'Send a valid key, as in: Authorization: Bearer parley_…  Whoever runs this Parley makes one with `parley admin key`.',
  );
}

/** Lets on those whose key may do this. */
export function requireScopes({ requiredScopes, acceptsSignature }: Operation): RequestHandler {
  return (_request, response, next) => {
    if (requiredScopes !== 'anybody' && !acceptsSignature) requireScope(requirePrincipal(response), requiredScopes);
    next();
  };
}

export function requireScope(caller: Principal, scopes: readonly Scope[]): void {
  if (scopes.length === 0 || isAdmin(caller) || scopes.some((scope) => caller.scopes.includes(scope))) return;
  const heldScopes = caller.scopes.join(', ');
  throw new ApiError(
    'forbidden',
    `This needs a key with the scope ${scopes.join(' or ')}. The key of ${caller.name} has ${heldScopes}.`,
  );
}

export function isAdmin(caller: Principal): boolean {
  return caller.scopes.includes('admin');
}

/** What every message says of who sent it, which the key tells, and by what way, which is the sender's own word. */
export function actorOf(request: Pick<Request, 'get'>, { name }: Principal): { by?: string; via: string } {
  const channel = parseInput(ClientChannel.optional(), request.get('x-parley-channel'));
  return { by: name ?? undefined, via: channel ?? 'http' };
}

export function canAnswer(caller: Principal): boolean {
  return isAdmin(caller) || caller.scopes.includes('questions:answer');
}
