import type { ConversationEndEvent, NotificationContext, OutgoingNotification, ResolvedCopy } from '#channels/channel';
import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import { jsonBytes } from '#core/json';

/** An event, as signed and sent to a receiver. */
export interface WebhookEvent {
  type:
    | 'question.pending'
    | 'question.answered'
    | 'conversation.completed'
    | 'conversation.failed'
    | 'conversation.cancelled';
  /** When it happened, not when it was sent. */
  timestamp: string;
  data: WebhookQuestionData | WebhookConversationData;
}

interface TruncationMarks {
  /** Parts were left out to limit the size; `fullUrl` has everything. */
  truncated?: true;
  fullUrl?: string;
}

export interface WebhookQuestionData extends TruncationMarks {
  conversationId: string;
  rootConversationId: string;
  agent: string;
  title: string;
  question: Question;
  /** API endpoint for the answer, while the question is open. */
  answerUrl?: string;
  notice?: { what: string; to: string[] };
  links: ConversationLinks;
}

export interface WebhookConversationData extends TruncationMarks {
  conversationId: string;
  conversation: Conversation;
}

export function createQuestionPendingEvent(notification: OutgoingNotification): WebhookEvent {
  const { question, dueAt, reason, escalatedTo } = notification;
  // The list of notices changes between attempts; the body must not.
  const questionWithoutNotices = { ...question, notices: [] };
  const data = {
    ...baseQuestionData(notification),
    question: questionWithoutNotices,
    answerUrl: `${questionUrl(notification)}/answer`,
    notice: { what: reason, to: escalatedTo },
  };
  return { type: 'question.pending', timestamp: dueAt, data };
}

export function createQuestionAnsweredEvent(copy: ResolvedCopy): WebhookEvent {
  const { question } = copy;
  const timestamp = question.outcome?.at ?? question.askedAt;
  return { type: 'question.answered', timestamp, data: { ...baseQuestionData(copy), question } };
}

/**
 * Any status other than failed or cancelled counts as completed: the event is sent only once the conversation has
 * ended.
 */
export function createConversationEndedEvent({ conversation }: ConversationEndEvent): WebhookEvent {
  const { id, status, completedAt, updatedAt } = conversation;
  return {
    type: status === 'failed' || status === 'cancelled' ? `conversation.${status}` : 'conversation.completed',
    timestamp: completedAt ?? updatedAt,
    data: { conversationId: id, conversation },
  };
}

/** Returns the API URL of the untruncated version. */
function getFullUrl({ data }: WebhookEvent): string {
  return 'question' in data ? questionUrl(data) : data.conversation.links.self;
}

function baseQuestionData({
  question,
  title,
  links,
  rootConversationId,
}: NotificationContext): Omit<WebhookQuestionData, 'question'> {
  const { conversationId, agent } = question;
  return { conversationId, rootConversationId, agent, title, links };
}

function questionUrl({ links, question }: Pick<WebhookQuestionData, 'links' | 'question'>): string {
  return `${links.self}/questions/${question.id}`;
}

/** Standard Webhooks: "payloads should be under 20 KB". */
export const MAX_WEBHOOK_BODY_BYTES = 20_000;

/**
 * Returns the request body. If it would be too large, it is shortened, marked as truncated, and names where the rest
 * is.
 */
export function serializeWebhookEvent(event: WebhookEvent): string {
  const payload = isTooLarge(event) ? shrinkEvent(event) : event;
  return JSON.stringify(payload);
}

/** Longer results have already been cut before they arrive here. */
const MAX_RESULT_LENGTH = 10_000;

function isTooLarge(event: WebhookEvent): boolean {
  const result = 'conversation' in event.data ? event.data.conversation.result : null;
  return (result?.length ?? 0) > MAX_RESULT_LENGTH || jsonBytes(event) > MAX_WEBHOOK_BODY_BYTES;
}

function shrinkEvent(event: WebhookEvent): WebhookEvent {
  const truncation = { truncated: true, fullUrl: getFullUrl(event) } as const;
  const { data } = event;
  if ('question' in data) {
    const toEvent = (question: Question): WebhookEvent => ({ ...event, data: { ...data, ...truncation, question } });
    return shrinkUntilItFits(data.question, QUESTION_STEPS, toEvent);
  }
  const toEvent = (conversation: Conversation): WebhookEvent => ({
    ...event,
    data: { ...data, ...truncation, conversation },
  });
  return shrinkUntilItFits(data.conversation, CONVERSATION_STEPS, toEvent);
}

type ShrinkStep<T> = (value: T) => T;

/** Applies one step after the other until the event fits. */
function shrinkUntilItFits<T>(original: T, steps: ShrinkStep<T>[], toEvent: (value: T) => WebhookEvent): WebhookEvent {
  let shrunk = original;
  for (const step of steps) {
    shrunk = step(shrunk);
    if (jsonBytes(toEvent(shrunk)) <= MAX_WEBHOOK_BODY_BYTES) break;
  }
  return toEvent(shrunk);
}

const truncateText = (text: string, maxLength: number) =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** First what explains the question is left out, then its fields and answers. The receiver can read them. */
const QUESTION_STEPS: ShrinkStep<Question>[] = [
  ({ confirms, ...question }) => ({
    ...question,
    notices: [],
    context: null,
    ...(confirms && { confirms: { ...confirms, arguments: null } }),
  }),
  ({ outcome, ...question }) => ({
    ...question,
    fields: [],
    outcome: outcome && { ...outcome, answers: undefined, comment: undefined },
  }),
];

const CONVERSATION_STEPS: ShrinkStep<Conversation>[] = [
  ({ result, ...conversation }) => ({ ...conversation, result: result && truncateText(result, MAX_RESULT_LENGTH) }),
  ({ result, error, ...conversation }) => ({
    ...conversation,
    todos: [],
    result: result && truncateText(result, 2_000),
    error: error && { ...error, message: truncateText(error.message, 1_000) },
  }),
  (conversation) => ({ ...conversation, metadata: {} }),
];
