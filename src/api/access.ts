import { EVERYBODY } from '#contract/permissions';
import type { ConversationState } from '#core/conversation/state';
import { findEncryptionKeyError } from '#infra/crypto/encryption';
import { type Caller, isAdmin } from './caller';
import { Refusal, unknownConversation } from './errors';
import type { Gateway } from './gateway';
import type { Run } from './run';
import { ofId, seenBy, visibility } from './visibility';

/** The newest run of a conversation the caller may see. What one may not see is not there. */
export async function findSeen(gateway: Gateway, caller: Caller, id: string): Promise<Run> {
  const run = await gateway.find(id).catch(async (error: unknown) => {
    // Whose it is cannot be read then; the index tells.
    const isUnreadable = findEncryptionKeyError(error) !== undefined;
    if (isUnreadable && !(await gateway.count(visibility(ofId(id), seenBy(caller, gateway.salt)))))
      throw unknownConversation(id);
    throw error;
  });
  if (!maySee(caller, run.memo.start.access)) throw unknownConversation(id);
  return run;
}

/** The same, to answer it, to say something in it or to end it. */
export async function findToActOn(gateway: Gateway, caller: Caller, id: string): Promise<Run> {
  const run = await findSeen(gateway, caller, id);
  if (mayAct(caller, run.memo.start.access)) return run;
  throw new Refusal(
    'forbidden',
    `${caller.name} may see this conversation, but not act in it: that is for its owner and its assignees.`,
  );
}

/** The names a caller goes by in `visibleTo`, `assignees` and the index; none for one who sees everything. */
export function namesOf(caller: Caller): string[] | undefined {
  if (isAdmin(caller)) return undefined;
  if (caller.name === null) return [];
  const own = [caller.name, ...(caller.aliases ?? [])];
  return caller.isStranger ? own : [...own, EVERYBODY];
}

/** Its owner, those it is shown to, and those who are to answer. */
export function maySee(caller: Caller, { owner, visibleTo, assignees }: ConversationState['access']): boolean {
  return isAmong(caller, [...(owner === null ? [] : [owner]), ...visibleTo, ...assignees]);
}

/** Its owner, and those who are to answer. */
export function mayAct(caller: Caller, { owner, assignees }: ConversationState['access']): boolean {
  return isAmong(caller, [...(owner === null ? [] : [owner]), ...assignees]);
}

function isAmong(caller: Caller, names: string[]): boolean {
  if (caller.holdsLink) return true;
  return namesOf(caller)?.some((name) => names.includes(name)) ?? true;
}
