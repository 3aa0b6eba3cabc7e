import type { ConversationStatus } from '../contract/conversation';
import { WORKFLOW_TYPE } from '../workflows/messages';
import { namesOf } from './access';
import type { Caller } from './caller';

/** Filter values were checked by the contract: none can end its quotes. */
export function visibility(...conditions: (string | false | undefined)[]): string {
  return [`WorkflowType = '${WORKFLOW_TYPE}'`, ...conditions.filter(Boolean)].join(' AND ');
}

/** Key names have no quotes in them; an address that has is not looked for. */
export function seenBy(caller: Caller): string | undefined {
  const names = namesOf(caller)
    ?.filter((name) => !/['"\\]/.test(name))
    .map((name) => `'${name}'`);
  return names && `ParleyAudience IN (${names.join(', ')})`;
}

/** An agent's name has no quotes in it. */
export function ofAgent(agent: string | undefined): string | undefined {
  return agent && `ParleyAgent = '${agent}'`;
}

export const NEWEST_ONLY = "ExecutionStatus != 'ContinuedAsNew'";

/** A run ended from outside wrote no status of its own: Temporal's tells. */
export const STATUS: Record<ConversationStatus, string> = {
  running: "(ExecutionStatus = 'Running' AND ParleyStatus = 'running')",
  waiting_for_input: "(ExecutionStatus = 'Running' AND ParleyStatus = 'waiting_for_input')",
  completed: "(ExecutionStatus = 'Completed' AND ParleyStatus = 'completed')",
  failed:
    "((ExecutionStatus = 'Completed' AND ParleyStatus = 'failed') OR ExecutionStatus = 'Failed' OR ExecutionStatus = 'TimedOut')",
  cancelled:
    "((ExecutionStatus = 'Completed' AND ParleyStatus = 'cancelled') OR ExecutionStatus = 'Terminated' OR ExecutionStatus = 'Canceled')",
};
