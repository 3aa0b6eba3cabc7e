import type { Principal } from '#api/middleware/authentication';
import { principalNames } from '#api/middleware/authorization';
import type { ConversationStatus } from '#contract/conversation';
import { pseudonymize } from '#core/search-attributes';
import { CONVERSATION_WORKFLOW_TYPE } from '#workflows/messages';

/** Filter values were checked by the contract: none can end its quotes. */
export function buildVisibilityQuery(...conditions: (string | false | undefined)[]): string {
  return [`WorkflowType = '${CONVERSATION_WORKFLOW_TYPE}'`, ...conditions.filter(Boolean)].join(' AND ');
}

/**
 * By their names, as conversations are indexed without encryption, and by what hides them. Key names have no quotes in
 * them; an address that has is not looked for, only what hides it.
 */
export function visibleTo(caller: Principal, salt: string): string | undefined {
  const names = principalNames(caller);
  const pseudonyms = names?.map((name) => pseudonymize(name, salt));
  const audience = names && [...new Set([...names.filter((name) => !/['"\\]/.test(name)), ...(pseudonyms ?? [])])];
  return audience && `ParleyAudience IN (${audience.map((name) => `'${name}'`).join(', ')})`;
}

/** A conversation's id has no quotes in it. */
export function byConversationId(id: string): string {
  return `WorkflowId = '${id}'`;
}

/** An agent's name has no quotes in it. */
export function byAgent(agent: string | undefined): string | undefined {
  return agent && `ParleyAgent = '${agent}'`;
}

export const EXCLUDE_CONTINUED = "ExecutionStatus != 'ContinuedAsNew'";

/** A run ended from outside wrote no status of its own: Temporal's tells. */
export const STATUS_CLAUSES: Record<ConversationStatus, string> = {
  running: "(ExecutionStatus = 'Running' AND ParleyStatus = 'running')",
  waiting_for_input: "(ExecutionStatus = 'Running' AND ParleyStatus = 'waiting_for_input')",
  completed: "(ExecutionStatus = 'Completed' AND ParleyStatus = 'completed')",
  failed:
    "((ExecutionStatus = 'Completed' AND ParleyStatus = 'failed') OR ExecutionStatus = 'Failed' OR ExecutionStatus = 'TimedOut')",
  cancelled:
    "((ExecutionStatus = 'Completed' AND ParleyStatus = 'cancelled') OR ExecutionStatus = 'Terminated' OR ExecutionStatus = 'Canceled')",
};
