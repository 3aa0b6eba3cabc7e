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

type ActionDraft = Pick<UserAction, 'deed'> & Partial<UserAction>;

/** Something a person is about to do. */
export function createAction(
  world: ChaosContext,
  story: ConversationLog,
  { body = {}, ...given }: ActionDraft,
): UserAction {
  const id = world.ledger.nextId(story);
  const act: UserAction = {
    id,
    conversation: story.conversation,
    isKeyed: true,
    isWrong: false,
    tries: [],
    body: { ...bodyWithActionId(given.deed, id), ...body },
    ...given,
  };
  story.acts.push(act);
  return act;
}

/** Each carries its id where it can be read afterwards. */
function bodyWithActionId(deed: UserActionKind, id: string): UserAction['body'] {
  if (deed === 'answer') return { comment: id };
  if (deed === 'decline' || deed === 'cancel') return { reason: id };
  return deed === 'message' ? { text: `Listen to ${id}.` } : {};
}

const questionTarget = ({ conversationId: conversation, id: question }: Question) => ({
  conversation,
  question,
});

export function createAnswer(
  world: ChaosContext,
  story: ConversationLog,
  question: Question,
  chance: SeededRandom,
  more: Partial<UserAction> = {},
): UserAction {
  const act = createAction(world, story, { deed: 'answer', ...questionTarget(question), ...more });
  const { isWrong } = act;
  const answers = isWrong ? createInvalidAnswers(question, chance) : createValidAnswers(question, chance, act.id);
  const [field, ...others] = question.fields;
  const isShort = !isWrong && field && others.length === 0 && chance.percent(50);
  Object.assign(act.body, isShort ? { answer: answers[field.key] } : { answers });
  return act;
}

export function createDecline(world: ChaosContext, story: ConversationLog, question: Question): UserAction {
  return createAction(world, story, { deed: 'decline', ...questionTarget(question) });
}

const GIVE_UP_PERCENT = 25;

/**
 * Send it until somebody says what became of it: the same again, with the same key, as clients do, to any API. Without a key
 * it is sent once. Where nothing was accepted, as it is said, some leave it at that.
 */
export async function sendUntilReplied(
  world: ChaosContext,
  act: UserAction,
  chance: SeededRandom,
): Promise<RequestAttempt> {
  for (;;) {
    const made = await sendAction(act, pickApiUrl(world, chance));
    if (isFinalReply(made) || !act.isKeyed) return made;
    if (isNotAccepted(made) && act.deed !== 'start' && chance.percent(GIVE_UP_PERCENT)) return made;
    if (hasWaitedTooLong(world, act.tries[0]?.sentAt ?? 0)) return made;
    await pause(chance.int(200, 1_500));
  }
}

export function isNotAccepted({ status, detail = '' }: RequestAttempt): boolean {
  return status === 503 && /nothing was accepted|was not taken/i.test(detail);
}

/** An answer that the question takes. */
function createValidAnswers(question: Question, chance: SeededRandom, act: string): { [key: string]: unknown } {
  return Object.fromEntries(question.fields.map((field) => [field.key, createValidValue(field, chance, act)]));
}

function createValidValue(field: QuestionField, chance: SeededRandom, act: string): unknown {
  const labels = field.options?.map(({ label }) => label);
  if (labels && field.multiSelect) return labels.slice(0, chance.int(1, labels.length));
  if (labels) return field.allowOther && chance.percent(40) ? { other: `Mauve ${act}` } : chance.pick(labels);
  return field.schema ? chance.int(1, 100) : `As ${act} says`;
}

/** And one that it does not. */
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
