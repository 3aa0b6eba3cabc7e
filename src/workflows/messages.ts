import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Conversation } from '#contract/conversation';
import type { Entry } from '#contract/entry';
import type { Verdict } from '#core/state';
import type { Changes, TimelineAtHand } from '#core/view';
import type { Reading } from './hand-over';

/** Anybody may signal, with anything: the payloads are read by `core/signal.ts`, which cannot throw. */
export const answerQuestion = defineSignal<[unknown]>('answerQuestion');
export const declineQuestion = defineSignal<[unknown]>('declineQuestion');
export const cancelConversation = defineSignal<[unknown]>('cancelConversation');
export const addMessage = defineSignal<[unknown]>('addMessage');
/** Takes back links to the open question, one person's or everybody's. */
export const revokeLinks = defineSignal<[unknown]>('revokeLinks');

export const getState = defineQuery<Conversation>('getState');
export const getTimeline = defineQuery<TimelineAtHand, [after?: number]>('getTimeline');
/** What came after that number, with what it has come to: one read for everybody who watches. */
export const getChanges = defineQuery<Changes, [after: number]>('getChanges');
/** Those that are about to leave the state, by their numbers. */
export const getEntries = defineQuery<Entry[], [from: number, to: number]>('getEntries');
export const getTranscript = defineQuery<Reading, [messages?: number]>('getTranscript');

/** What became of a message by its id: of more of them than the memo shows. */
export const getVerdict = defineQuery<Verdict | null, [id: string]>('getVerdict');

export const WORKFLOW_TYPE = 'conversation';
/** Tells people what became of a question or a conversation, for as long as it takes. */
export const COURIER_TYPE = 'courier';
export const TASK_QUEUE = 'parley';

/**
 * A worker could not answer a query as things stood: it came with news that no task had brought yet (`unbegun.ts`), or was
 * behind the worker. Asked again, it can. By its name, since with encryption the reason is sealed.
 */
export function mayAskAgain(error: unknown): boolean {
  return error instanceof Error && error.name === 'QueryNotRegisteredError';
}
