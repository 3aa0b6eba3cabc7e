import type { Principal } from '#api/middleware/authentication';
import { principalNames } from '#api/middleware/authorization';
import type { ConversationStatus } from '#contract/conversation';
import { pseudonymize } from '#core/search-attributes';
import { CONVERSATION_WORKFLOW_TYPE } from '#workflows/messages';

/** Builds a Visibility query. The contract has validated the filter values: none contains a quote. */
export function buildVisibilityQuery(...conditions: (string | false | undefined)[]): string {
  return [`WorkflowType = '${CONVERSATION_WORKFLOW_TYPE}'`, ...conditions.filter(Boolean)].join(' AND ');
}

/**
 * Matches the caller's names, which are indexed in the clear without encryption, and their hashes. Key names contain no
 * quotes; an address that does is matched by its hash only.
 */
export function visibleTo(caller: Principal, salt: string): string | undefined {
  const names = principalNames(caller);
  const pseudonyms = names?.map((name) => pseudonymize(name, salt));
  const audience = names && [...new Set([...names.filter((name) => !/['"\\]/.test(name)), ...(pseudonyms ?? [])])];
  return audience && `ParleyAudience IN (${audience.map((name) => `'${name}'`).join(', ')})`;
}

/** Conversation ids contain no quotes. */
export function byConversationId(id: string): string {
  return `WorkflowId = '${id}'`;
}

/** Agent names contain no quotes. */
export function byAgent(agent: string | undefined): string | undefined {
  return agent && `ParleyAgent = '${agent}'`;
}

export const EXCLUDE_CONTINUED = "ExecutionStatus != 'ContinuedAsNew'";

/** A run ended in Temporal wrote no status of its own, so Temporal's status counts too. */
export const STATUS_CLAUSES: Record<ConversationStatus, string> = {
  running: "(ExecutionStatus = 'Running' AND ParleyStatus = 'running')",
  waiting_for_input: "(ExecutionStatus = 'Running' AND ParleyStatus = 'waiting_for_input')",
  completed: "(ExecutionStatus = 'Completed' AND ParleyStatus = 'completed')",
  failed:
    "((ExecutionStatus = 'Completed' AND ParleyStatus = 'failed') OR ExecutionStatus = 'Failed' OR ExecutionStatus = 'TimedOut')",
  cancelled:
    "((ExecutionStatus = 'Completed' AND ParleyStatus = 'cancelled') OR ExecutionStatus = 'Terminated' OR ExecutionStatus = 'Canceled')",
};
