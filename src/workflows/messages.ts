import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Conversation } from '#contract/conversation';
import type { TimelineEntry } from '#contract/timeline';
import type { MessageResult } from '#core/conversation/state';
import type { ConversationChanges } from '#core/projections';
import type { RecentTimeline } from '#core/timeline';
import type { ModelInput } from './runtime/sinks';

/** Anybody may signal, with anything: the payloads are read by `core/conversation/parse-signal.ts`, which cannot throw. */
export const answerQuestionSignal = defineSignal<[unknown]>('answerQuestion');
export const declineQuestionSignal = defineSignal<[unknown]>('declineQuestion');
export const cancelConversationSignal = defineSignal<[unknown]>('cancelConversation');
export const addMessageSignal = defineSignal<[unknown]>('addMessage');
/** Takes back links to the open question, one person's or everybody's. */
export const revokeLinksSignal = defineSignal<[unknown]>('revokeLinks');

export const getStateQuery = defineQuery<Conversation>('getState');
export const getTimelineQuery = defineQuery<RecentTimeline, [after?: number]>('getTimeline');
/** What came after that number, with what it has come to: one read for everybody who watches. */
export const getChangesQuery = defineQuery<ConversationChanges, [after: number]>('getChanges');
/** Those that are about to leave the state, by their numbers. */
export const getEntriesQuery = defineQuery<TimelineEntry[], [from: number, to: number]>('getEntries');
export const getTranscriptQuery = defineQuery<ModelInput, [messages?: number]>('getTranscript');

/** What became of a message by its id: of more of them than the memo shows. */
export const getMessageResultQuery = defineQuery<MessageResult | null, [id: string]>('getMessageResult');

export const CONVERSATION_WORKFLOW_TYPE = 'conversation';
/** Delivers the outcome of a question or the end of a conversation, for days if need be. */
export const DELIVERY_WORKFLOW_TYPE = 'delivery';
export const TASK_QUEUE = 'parley';

/**
 * A worker could not answer a query as things stood: it came with news that no task had brought yet (`reject-premature-query.ts`), or was
 * behind the worker. Asked again, it can. By its name, since with encryption the reason is sealed.
 */
export function isRetryableQueryError(error: unknown): boolean {
  return error instanceof Error && error.name === 'QueryNotRegisteredError';
}
