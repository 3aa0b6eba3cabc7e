import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { buildVisibilityQuery, byConversationId, visibleTo } from '#api/temporal/visibility-query';
import { EVERYBODY } from '#contract/permissions';
import type { ConversationState } from '#core/conversation/state';
import { findEncryptionKeyError } from '#infra/crypto/encryption';
import { isAdmin, type Principal } from './authentication';
import { ApiError, conversationNotFound } from './errors';

/** Returns the newest run of a conversation. Conversations that the caller may not see count as not found. */
export async function findVisible(gateway: TemporalGateway, caller: Principal, id: string): Promise<Execution> {
  const run = await gateway.find(id).catch(async (error: unknown) => {
    // The memo with the access lists cannot be decrypted, but the search attributes can be queried.
    const isUnreadable = findEncryptionKeyError(error) !== undefined;
    if (
      isUnreadable &&
      !(await gateway.count(buildVisibilityQuery(byConversationId(id), visibleTo(caller, gateway.salt))))
    )
      throw conversationNotFound(id);
    throw error;
  });
  if (!canView(caller, run.memo.start.access)) throw conversationNotFound(id);
  return run;
}

/** The same, for callers who want to answer, send a message or cancel. */
export async function findActionable(gateway: TemporalGateway, caller: Principal, id: string): Promise<Execution> {
  const run = await findVisible(gateway, caller, id);
  if (canAct(caller, run.memo.start.access)) return run;
  throw new ApiError(
    'forbidden',
    `${caller.name} may see this conversation, but not act in it: that is for its owner and its assignees.`,
  );
}

/** Returns the caller's names in `visibleTo`, `assignees` and the index; `undefined` if the caller sees everything. */
export function principalNames(caller: Principal): string[] | undefined {
  if (isAdmin(caller)) return undefined;
  if (caller.name === null) return [];
  const ownNames = [caller.name, ...(caller.aliases ?? [])];
  return caller.isUnregistered ? ownNames : [...ownNames, EVERYBODY];
}

/** The owner, `visibleTo` and assignees may view a conversation. */
export function canView(caller: Principal, { owner, visibleTo, assignees }: ConversationState['access']): boolean {
  return isNamedIn(caller, [...(owner === null ? [] : [owner]), ...visibleTo, ...assignees]);
}

/** The owner and assignees may act in a conversation. */
export function canAct(caller: Principal, { owner, assignees }: ConversationState['access']): boolean {
  return isNamedIn(caller, [...(owner === null ? [] : [owner]), ...assignees]);
}

function isNamedIn(caller: Principal, names: string[]): boolean {
  if (caller.holdsLink) return true;
  return principalNames(caller)?.some((name) => names.includes(name)) ?? true;
}
