import type { ConversationEndEvent, NotificationContext, OutgoingNotification, ResolvedCopy } from '#channels/channel';
import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import { jsonBytes } from '#core/json';

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
  data: WebhookQuestionData | WebhookConversationData;
}

interface TruncationMarks {
  /** Something was left out to keep it small; all of it is at `fullUrl`. */
  truncated?: true;
  fullUrl?: string;
}

export interface WebhookQuestionData extends TruncationMarks {
  conversationId: string;
  rootConversationId: string;
  agent: string;
  title: string;
  question: Question;
  /** Of the API: where to post the answer, while it is open. */
  answerUrl?: string;
  notice?: { what: string; to: string[] };
  links: ConversationLinks;
}

export interface WebhookConversationData extends TruncationMarks {
  conversationId: string;
  conversation: Conversation;
}

export function createQuestionPendingEvent(notice: OutgoingNotification): WebhookEvent {
  const { question, at, what, to } = notice;
  // Whom else it was told changes between one attempt and the next; what is sent must not.
  const asked = { ...question, notices: [] };
  const data = {
    ...baseQuestionData(notice),
    question: asked,
    answerUrl: `${questionUrl(notice)}/answer`,
    notice: { what, to },
  };
  return { type: 'question.pending', timestamp: at, data };
}

export function createQuestionAnsweredEvent(copy: ResolvedCopy): WebhookEvent {
  const { question } = copy;
  const timestamp = question.outcome?.at ?? question.askedAt;
  return { type: 'question.answered', timestamp, data: { ...baseQuestionData(copy), question } };
}

/** Whatever else it may be by now, it was told because it had ended. */
export function createConversationEndedEvent({ conversation }: ConversationEndEvent): WebhookEvent {
  const { id, status, completedAt, updatedAt } = conversation;
  return {
    type: status === 'failed' || status === 'cancelled' ? `conversation.${status}` : 'conversation.completed',
    timestamp: completedAt ?? updatedAt,
    data: { conversationId: id, conversation },
  };
}

/** Where all of it is to be read. */
function getFullUrl({ data }: WebhookEvent): string {
  return 'question' in data ? questionUrl(data) : data.conversation.links.self;
}

function baseQuestionData({
  question,
  title,
  links,
  root,
}: NotificationContext): Omit<WebhookQuestionData, 'question'> {
  const { conversationId, agent } = question;
  return { conversationId, rootConversationId: root, agent, title, links };
}

function questionUrl({ links, question }: Pick<WebhookQuestionData, 'links' | 'question'>): string {
  return `${links.self}/questions/${question.id}`;
}

/** Standard Webhooks: "payloads should be under 20 KB". */
export const MAX_WEBHOOK_BODY_BYTES = 20_000;

/** What is sent, and signed. Where it would be too large it says so, and where the rest is; it is JSON all the same. */
export function serializeWebhookEvent(event: WebhookEvent): string {
  const short = isTooLarge(event) ? shrinkEvent(event) : event;
  return JSON.stringify(short);
}

/** A longer result was cut on its way here already. */
const MAX_RESULT_LENGTH = 10_000;

function isTooLarge(event: WebhookEvent): boolean {
  const result = 'conversation' in event.data ? event.data.conversation.result : null;
  return (result?.length ?? 0) > MAX_RESULT_LENGTH || jsonBytes(event) > MAX_WEBHOOK_BODY_BYTES;
}

function shrinkEvent(event: WebhookEvent): WebhookEvent {
  const marks = { truncated: true, fullUrl: getFullUrl(event) } as const;
  const { data } = event;
  if ('question' in data) {
    const draft = (question: Question): WebhookEvent => ({ ...event, data: { ...data, ...marks, question } });
    return shrinkUntilItFits(data.question, QUESTION_STEPS, draft);
  }
  const draft = (conversation: Conversation): WebhookEvent => ({
    ...event,
    data: { ...data, ...marks, conversation },
  });
  return shrinkUntilItFits(data.conversation, CONVERSATION_STEPS, draft);
}

type ShrinkStep<T> = (whole: T) => T;

/** Takes one step after the other, until it fits. */
function shrinkUntilItFits<T>(whole: T, steps: ShrinkStep<T>[], draft: (part: T) => WebhookEvent): WebhookEvent {
  let part = whole;
  for (const step of steps) {
    part = step(part);
    if (jsonBytes(draft(part)) <= MAX_WEBHOOK_BODY_BYTES) break;
  }
  return draft(part);
}

const truncateText = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Text is cut; what a program reads is there as it was, or not at all. */
const QUESTION_STEPS: ShrinkStep<Question>[] = [
  (question) => ({ ...question, notices: [] }),
  (question) => ({ ...question, context: question.context && truncateText(question.context, 500) }),
  (question) => ({ ...question, fields: question.fields.map(withoutDescriptions) }),
  ({ confirms, ...question }) => ({
    ...question,
    ...(confirms ? { confirms: { ...confirms, arguments: null } } : {}),
  }),
  (question) => withOutcome(question, ({ comment }) => ({ comment: comment && truncateText(comment, 500) })),
  (question) => withOutcome(question, () => ({ answers: undefined })),
  (question) => ({ ...question, context: null, fields: [] }),
];

const CONVERSATION_STEPS: ShrinkStep<Conversation>[] = [
  (conversation) => withTruncatedResult(conversation, MAX_RESULT_LENGTH),
  (conversation) => ({ ...conversation, todos: [] }),
  (conversation) => withTruncatedResult(conversation, 2_000),
  (conversation) => ({ ...conversation, metadata: {} }),
  (conversation) => {
    const { error } = conversation;
    return { ...conversation, error: error && { ...error, message: truncateText(error.message, 1_000) } };
  },
];

function withoutDescriptions(field: Question['fields'][number]): Question['fields'][number] {
  const { options } = field;
  return options ? { ...field, options: options.map(({ label }) => ({ label })) } : field;
}

type Outcome = NonNullable<Question['outcome']>;

function withOutcome(question: Question, changed: (outcome: Outcome) => Partial<Outcome>): Question {
  const { outcome } = question;
  return outcome ? { ...question, outcome: { ...outcome, ...changed(outcome) } } : question;
}

function withTruncatedResult(conversation: Conversation, most: number): Conversation {
  const { result } = conversation;
  return { ...conversation, result: result && truncateText(result, most) };
}
