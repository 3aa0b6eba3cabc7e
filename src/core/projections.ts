import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { countQueuedBytes } from './conversation/messages';
import type { ConversationState, MessageResult } from './conversation/state';
import { truncateText } from './json';
import { type RecentTimeline, selectTimeline } from './timeline';

/** The public view of a conversation. */
export function toConversation(state: ConversationState): Conversation {
  return {
    id: state.id,
    agent: state.agent.name,
    status: state.status,
    title: state.title,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    completedAt: state.completedAt,
    question: state.question,
    questionsAsked: state.questionCount.total,
    result: state.result,
    error: state.error,
    usage: state.usage,
    ...(state.budget ? { budget: { ...state.budget.limits, spent: state.budget.spent } } : {}),
    todos: state.todos,
    metadata: state.metadata,
    parent: state.parent,
    links: state.links,
  };
}

/** The timeline after an entry, with the current conversation. */
export interface ConversationChanges extends RecentTimeline {
  conversation: Conversation;
  lastEntryId: number;
}

export function selectChanges(state: ConversationState, after: number): ConversationChanges {
  return { conversation: toConversation(state), lastEntryId: state.lastEntryId, ...selectTimeline(state, after) };
}

/** The workflow's memo: readable without a worker. A part is written only when it changes. */
export interface ConversationMemo {
  /** The top-level conversation; its own id unless it is a sub-agent's. */
  root: string;
  conversation: Omit<Conversation, 'question'>;
  question: Question | null;
  settledQuestion: Question | null;
  messageResults: MessageResult[];
  start: { digest: string | null; access: ConversationState['access'] };
  queuedBytes: number;
  /** People whose answer links are revoked, by question. */
  revokedLinks?: ConversationState['revokedLinks'];
  /** The id of the last entry included. */
  lastEntryId: number;
}

const MAX_MEMO_RESULT_LENGTH = 2_000;
/** Every list carries the memo, so it stays small. */
export const MAX_MEMO_RESULTS = 16;

export function buildMemo(state: ConversationState): ConversationMemo {
  const { question, ...conversation } = toConversation(state);
  return {
    root: state.root,
    conversation: {
      ...conversation,
      result: state.result && truncateText(state.result, MAX_MEMO_RESULT_LENGTH),
    },
    question,
    settledQuestion: state.settledQuestion,
    messageResults: state.messageResults.slice(-MAX_MEMO_RESULTS),
    start: { digest: state.startDigest, access: state.access },
    queuedBytes: countQueuedBytes(state),
    ...(state.revokedLinks ? { revokedLinks: state.revokedLinks } : {}),
    lastEntryId: state.lastEntryId,
  };
}
