import { setTimeout as pause } from 'node:timers/promises';
import type { Question, QuestionField } from '#contract/question';
import { type ChaosContext, hasWaitedTooLong, pickApiUrl } from '../context';
import {
  type ConversationLog,
  isFinalReply,
  type RequestAttempt,
  type UserAction,
  type UserActionKind,
} from '../event-log';
import { sendAction } from '../http';
import type { SeededRandom } from '../random';

type ActionDraft = Pick<UserAction, 'kind'> & Partial<UserAction>;

/** Records an action that a user is about to take. */
export function createAction(
  context: ChaosContext,
  log: ConversationLog,
  { body = {}, ...draft }: ActionDraft,
): UserAction {
  const id = context.eventLog.nextId(log);
  const action: UserAction = {
    id,
    conversation: log.conversation,
    hasIdempotencyKey: true,
    isInvalid: false,
    attempts: [],
    body: { ...bodyWithActionId(draft.kind, id), ...body },
    ...draft,
  };
  log.actions.push(action);
  return action;
}

/** Puts the action id into a field that can be found in the conversation afterwards. */
function bodyWithActionId(kind: UserActionKind, id: string): UserAction['body'] {
  if (kind === 'answer') return { comment: id };
  if (kind === 'decline' || kind === 'cancel') return { reason: id };
  return kind === 'message' ? { text: `Listen to ${id}.` } : {};
}

const questionTarget = ({ conversationId: conversation, id: question }: Question) => ({
  conversation,
  question,
});

export function createAnswer(
  context: ChaosContext,
  log: ConversationLog,
  question: Question,
  chance: SeededRandom,
  more: Partial<UserAction> = {},
): UserAction {
  const action = createAction(context, log, { kind: 'answer', ...questionTarget(question), ...more });
  const { isInvalid } = action;
  const answers = isInvalid ? createInvalidAnswers(question, chance) : createValidAnswers(question, chance, action.id);
  const [field, ...others] = question.fields;
  const isShort = !isInvalid && field && others.length === 0 && chance.percent(50);
  Object.assign(action.body, isShort ? { answer: answers[field.key] } : { answers });
  return action;
}

export function createDecline(context: ChaosContext, log: ConversationLog, question: Question): UserAction {
  return createAction(context, log, { kind: 'decline', ...questionTarget(question) });
}

const GIVE_UP_PERCENT = 25;

/**
 * Sends the action until a final reply, with the same idempotency key, to any API, as clients do. Without a key it is
 * sent once. If the reply says that nothing was accepted, some users give up.
 */
export async function sendUntilReplied(
  context: ChaosContext,
  action: UserAction,
  chance: SeededRandom,
): Promise<RequestAttempt> {
  for (;;) {
    const attempt = await sendAction(action, pickApiUrl(context, chance));
    if (isFinalReply(attempt) || !action.hasIdempotencyKey) return attempt;
    if (isNotAccepted(attempt) && action.kind !== 'start' && chance.percent(GIVE_UP_PERCENT)) return attempt;
    if (hasWaitedTooLong(context, action.attempts[0]?.sentAt ?? 0)) return attempt;
    await pause(chance.int(200, 1_500));
  }
}

export function isNotAccepted({ status, detail = '' }: RequestAttempt): boolean {
  return status === 503 && /nothing was accepted|was not taken/i.test(detail);
}

/** Creates answers that are valid for the question. */
function createValidAnswers(question: Question, chance: SeededRandom, actionId: string): { [key: string]: unknown } {
  return Object.fromEntries(question.fields.map((field) => [field.key, createValidValue(field, chance, actionId)]));
}

function createValidValue(field: QuestionField, chance: SeededRandom, actionId: string): unknown {
  const labels = field.options?.map(({ label }) => label);
  if (labels && field.multiSelect) return labels.slice(0, chance.int(1, labels.length));
  if (labels) return field.allowOther && chance.percent(40) ? { other: `Mauve ${actionId}` } : chance.pick(labels);
  return field.schema ? chance.int(1, 100) : `As ${actionId} says`;
}

/** Creates answers that are invalid for the question. */
function createInvalidAnswers(question: Question, chance: SeededRandom): { [key: string]: unknown } {
  const [field] = question.fields as [QuestionField];
  const rest = Object.fromEntries(question.fields.slice(1).map(({ key }) => [key, 'Red']));
  const wrong = field.options
    ? chance.pick(['Rde', 'red', ['Red', 'Rde']])
    : field.schema
      ? chance.pick([0, 101, 'seven'])
      : chance.pick(['', { a: 1 }]);
  return { ...rest, [field.key]: wrong, ...(chance.percent(20) ? { nothing: 1 } : {}) };
}
