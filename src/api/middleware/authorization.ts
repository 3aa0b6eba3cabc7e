import { actionForbidden, conversationNotFound } from '#api/services/refusals';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { buildVisibilityQuery, byConversationId, visibleTo } from '#api/temporal/visibility-query';
import { foldAddress } from '#contract/permissions';
import type { ActionRefusal } from '#contract/responses';
import { type ConversationState, EVERYBODY } from '#core/conversation/state';
import { findEncryptionKeyError } from '#infra/crypto/aes-gcm';
import { isAdmin, type Principal } from './authentication';
import { refusalError } from './errors';

/** Returns the newest run of a conversation, for routes that only read. 404 also if the caller may not see it. */
export async function requireVisible(gateway: TemporalGateway, caller: Principal, id: string): Promise<Execution> {
  const run = await findReadable(gateway, caller, id);
  if (run && canView(caller, run.memo.start.access)) return run;
  throw refusalError(conversationNotFound(id));
}

/** The same, for routes that answer, send a message or cancel. */
export async function findActionable(
  gateway: TemporalGateway,
  caller: Principal,
  id: string,
): Promise<{ status: 'found'; run: Execution } | ActionRefusal> {
  const run = await findReadable(gateway, caller, id);
  if (run && canAct(caller, run.memo.start.access)) return { status: 'found', run };
  return run && canView(caller, run.memo.start.access) ? actionForbidden(caller.name) : conversationNotFound(id);
}

/** Without the key, the access lists in the memo can't be decrypted, but the search attributes can be queried. */
function findReadable(gateway: TemporalGateway, caller: Principal, id: string): Promise<Execution | undefined> {
  return gateway.find(id).catch(async (error: unknown) => {
    const isUnreadable = findEncryptionKeyError(error) !== undefined;
    const byIdAndCaller = buildVisibilityQuery(byConversationId(id), visibleTo(caller, gateway.salt));
    if (isUnreadable && !(await gateway.count(byIdAndCaller))) return undefined;
    throw error;
  });
}

/** Returns the caller's names in `visibleTo`, `assignees` and the index; `undefined` if the caller sees everything. */
export function principalNames(caller: Principal): string[] | undefined {
  if (isAdmin(caller)) return undefined;
  if (caller.name === null) return [];
  const ownNames = [...new Set([caller.name, foldAddress(caller.name), ...(caller.aliases ?? [])])];
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
