import type { Copy, Ending, Outgoing, Subject } from '#channels/channel';
import type { Conversation, Links } from '#contract/conversation';
import type { Question } from '#contract/question';

/** What a receiver is told, as it is signed and sent. */
export interface WebhookEvent {
  type:
    | 'question.pending'
    | 'question.answered'
    | 'conversation.completed'
    | 'conversation.failed'
    | 'conversation.cancelled';
  /** When it happened, not when it was sent. */
  timestamp: string;
  data: QuestionData | ConversationData;
}

interface Shortened {
  /** Something was left out to keep it small; all of it is at `fullUrl`. */
  truncated?: true;
  fullUrl?: string;
}

export interface QuestionData extends Shortened {
  conversationId: string;
  rootConversationId: string;
  agent: string;
  title: string;
  question: Question;
  /** Of the API: where to post the answer, while it is open. */
  answerUrl?: string;
  notice?: { what: string; to: string[] };
  links: Links;
}

export interface ConversationData extends Shortened {
  conversationId: string;
  conversation: Conversation;
}

export function pendingEvent(notice: Outgoing): WebhookEvent {
  const { question, at, what, to } = notice;
  // Whom else it was told changes between one attempt and the next; what is sent must not.
  const asked = { ...question, notices: [] };
  const data = {
    ...about(notice),
    question: asked,
    answerUrl: `${questionUrl(notice)}/answer`,
    notice: { what, to },
  };
  return { type: 'question.pending', timestamp: at, data };
}

export function answeredEvent(copy: Copy): WebhookEvent {
  const { question } = copy;
  const timestamp = question.outcome?.at ?? question.askedAt;
  return { type: 'question.answered', timestamp, data: { ...about(copy), question } };
}

/** Whatever else it may be by now, it was told because it had ended. */
export function endedEvent({ conversation }: Ending): WebhookEvent {
  const { id, status, completedAt, updatedAt } = conversation;
  return {
    type: status === 'failed' || status === 'cancelled' ? `conversation.${status}` : 'conversation.completed',
    timestamp: completedAt ?? updatedAt,
    data: { conversationId: id, conversation },
  };
}

/** Where all of it is to be read. */
export function fullUrlOf({ data }: WebhookEvent): string {
  return 'question' in data ? questionUrl(data) : data.conversation.links.self;
}

function about({ question, title, links, root }: Subject): Omit<QuestionData, 'question'> {
  const { conversationId, agent } = question;
  return { conversationId, rootConversationId: root, agent, title, links };
}

function questionUrl({ links, question }: Pick<QuestionData, 'links' | 'question'>): string {
  return `${links.self}/questions/${question.id}`;
}
