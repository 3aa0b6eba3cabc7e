import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { jsonBytes } from '#core/json';
import { fullUrlOf, type WebhookEvent } from './event';

/** Standard Webhooks: "payloads should be under 20 KB". */
export const BODY_BYTES = 20_000;

/** What is sent, and signed. Where it would be too large it says so, and where the rest is; it is JSON all the same. */
export function bodyOf(event: WebhookEvent): string {
  const short = isLong(event) ? shortened(event) : event;
  return JSON.stringify(short);
}

/** A longer result was cut on its way here already. */
const RESULT_LENGTH = 10_000;

function isLong(event: WebhookEvent): boolean {
  const result = 'conversation' in event.data ? event.data.conversation.result : null;
  return (result?.length ?? 0) > RESULT_LENGTH || jsonBytes(event) > BODY_BYTES;
}

function shortened(event: WebhookEvent): WebhookEvent {
  const marks = { truncated: true, fullUrl: fullUrlOf(event) } as const;
  const { data } = event;
  if ('question' in data) {
    const draft = (question: Question): WebhookEvent => ({ ...event, data: { ...data, ...marks, question } });
    return firstFitting(data.question, QUESTION_STEPS, draft);
  }
  const draft = (conversation: Conversation): WebhookEvent => ({
    ...event,
    data: { ...data, ...marks, conversation },
  });
  return firstFitting(data.conversation, CONVERSATION_STEPS, draft);
}

type Step<T> = (whole: T) => T;

/** Takes one step after the other, until it fits. */
function firstFitting<T>(whole: T, steps: Step<T>[], draft: (part: T) => WebhookEvent): WebhookEvent {
  let part = whole;
  for (const step of steps) {
    part = step(part);
    if (jsonBytes(draft(part)) <= BODY_BYTES) break;
  }
  return draft(part);
}

const clipped = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Text is cut; what a program reads is there as it was, or not at all. */
const QUESTION_STEPS: Step<Question>[] = [
  (question) => ({ ...question, notices: [] }),
  (question) => ({ ...question, context: question.context && clipped(question.context, 500) }),
  (question) => ({ ...question, fields: question.fields.map(undescribed) }),
  ({ confirms, ...question }) => ({
    ...question,
    ...(confirms ? { confirms: { ...confirms, arguments: null } } : {}),
  }),
  (question) => withOutcome(question, ({ comment }) => ({ comment: comment && clipped(comment, 500) })),
  (question) => withOutcome(question, () => ({ answers: undefined })),
  (question) => ({ ...question, context: null, fields: [] }),
];

const CONVERSATION_STEPS: Step<Conversation>[] = [
  (conversation) => withResult(conversation, RESULT_LENGTH),
  (conversation) => ({ ...conversation, todos: [] }),
  (conversation) => withResult(conversation, 2_000),
  (conversation) => ({ ...conversation, metadata: {} }),
  (conversation) => {
    const { error } = conversation;
    return { ...conversation, error: error && { ...error, message: clipped(error.message, 1_000) } };
  },
];

function undescribed(field: Question['fields'][number]): Question['fields'][number] {
  const { options } = field;
  return options ? { ...field, options: options.map(({ label }) => ({ label })) } : field;
}

type Outcome = NonNullable<Question['outcome']>;

function withOutcome(question: Question, changed: (outcome: Outcome) => Partial<Outcome>): Question {
  const { outcome } = question;
  return outcome ? { ...question, outcome: { ...outcome, ...changed(outcome) } } : question;
}

function withResult(conversation: Conversation, most: number): Conversation {
  const { result } = conversation;
  return { ...conversation, result: result && clipped(result, most) };
}
