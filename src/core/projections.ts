import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { countQueuedBytes } from './conversation/messages';
import type { ConversationState, MessageResult } from './conversation/state';
import { truncateText } from './json';
import { type RecentTimeline, selectTimeline } from './timeline';

/** The conversation as everybody outside sees it. */
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
    todos: state.todos,
    metadata: state.metadata,
    parent: state.parent,
    links: state.links,
  };
}

/** What is new since that number, and what it has come to. */
export interface ConversationChanges extends RecentTimeline {
  conversation: Conversation;
  lastEntryId: number;
}

export function selectChanges(state: ConversationState, after: number): ConversationChanges {
  return { conversation: toConversation(state), lastEntryId: state.lastEntryId, ...selectTimeline(state, after) };
}

/** What is kept beside the run, readable with no worker; each part is written only when it changes. */
export interface ConversationMemo {
  /** The conversation at the top of those it works for, itself where it works for none. */
  root: string;
  conversation: Omit<Conversation, 'question'>;
  question: Question | null;
  settledQuestion: Question | null;
  messageResults: MessageResult[];
  start: { digest: string | null; access: ConversationState['access'] };
  queuedBytes: number;
  /** Whose links were taken back, by question. */
  revokedLinks?: ConversationState['revokedLinks'];
  /** The number of the last entry included. */
  lastEntryId: number;
}

const MAX_MEMO_RESULT_LENGTH = 2_000;
/** More would make the memo, which every list carries, too large. */
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
