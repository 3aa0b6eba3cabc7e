import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Conversation } from '#contract/conversation';
import type { TimelineEntry } from '#contract/timeline';
import type { MessageResult } from '#core/conversation/state';
import type { ConversationChanges } from '#core/projections';
import type { RecentTimeline } from '#core/timeline';
import type { ModelInput } from './runtime/sinks';

/** Any client may send any payload, so `core/conversation/parse-signal.ts` parses them and never throws. */
export const answerQuestionSignal = defineSignal<[unknown]>('answerQuestion');
export const declineQuestionSignal = defineSignal<[unknown]>('declineQuestion');
export const cancelConversationSignal = defineSignal<[unknown]>('cancelConversation');
export const addMessageSignal = defineSignal<[unknown]>('addMessage');
/** Revokes answer links to the open question, for one person or all. */
export const revokeLinksSignal = defineSignal<[unknown]>('revokeLinks');
/** Records a link that the API created. */
export const linkCreatedSignal = defineSignal<[unknown]>('linkCreated');

/** Between sub-agents and the conversation that has the budget: before a model call, the reply, and after the call. */
export const requestBudgetSignal = defineSignal<[unknown]>('requestBudget');
export const grantBudgetSignal = defineSignal<[unknown]>('grantBudget');
export const settleBudgetSignal = defineSignal<[unknown]>('settleBudget');

export const getStateQuery = defineQuery<Conversation>('getState');
export const getTimelineQuery = defineQuery<RecentTimeline, [after?: number]>('getTimeline');
/** The timeline after an entry and the current conversation: one query serves all viewers. */
export const getChangesQuery = defineQuery<ConversationChanges, [after: number]>('getChanges');
/** Entries about to be archived, by id. */
export const getEntriesQuery = defineQuery<TimelineEntry[], [from: number, to: number]>('getEntries');
export const getTranscriptQuery = defineQuery<ModelInput, [messages?: number]>('getTranscript');

/** The result of a message by its id. Reaches further back than the memo. */
export const getMessageResultQuery = defineQuery<MessageResult | null, [id: string]>('getMessageResult');

export const CONVERSATION_WORKFLOW_TYPE = 'conversation';
/** Delivers the outcome of a question or the end of a conversation, for days if necessary. */
export const DELIVERY_WORKFLOW_TYPE = 'delivery';
export const TASK_QUEUE = 'parley';

/** Task queue of notifications, deliveries and archiving. */
export function deliveryTaskQueue(taskQueue: string): string {
  return `${taskQueue}-delivery`;
}

/**
 * True if the worker could not answer the query yet (see `reject-premature-query.ts`) and a retry will succeed.
 * Matches the error name, since its message may be encrypted.
 */
export function isRetryableQueryError(error: unknown): boolean {
  return error instanceof Error && error.name === 'QueryNotRegisteredError';
}
