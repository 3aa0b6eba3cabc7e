import { setTimeout as pause } from 'node:timers/promises';
import type { Question } from '#contract/question';
import { answersTo, wrongAnswersTo } from './answering';
import type { Chance } from './chance';
import { tryOnce } from './door';
import { type Act, type Deed, isReply, type Story, type Try } from './ledger';
import { anApi, isStuck, type World } from './world';

type Draft = Pick<Act, 'deed'> & Partial<Act>;

/** Something a person is about to do. */
export function draft(world: World, story: Story, { body = {}, ...given }: Draft): Act {
  const id = world.ledger.nextId(story);
  const act: Act = {
    id,
    conversation: story.conversation,
    isKeyed: true,
    isWrong: false,
    tries: [],
    body: { ...signed(given.deed, id), ...body },
    ...given,
  };
  story.acts.push(act);
  return act;
}

/** Each carries its id where it can be read afterwards. */
function signed(deed: Deed, id: string): Act['body'] {
  if (deed === 'answer') return { comment: id };
  if (deed === 'decline' || deed === 'cancel') return { reason: id };
  return deed === 'message' ? { text: `Listen to ${id}.` } : {};
}

const toQuestion = ({ conversationId: conversation, id: question }: Question) => ({ conversation, question });

export function answer(
  world: World,
  story: Story,
  question: Question,
  chance: Chance,
  more: Partial<Act> = {},
): Act {
  const act = draft(world, story, { deed: 'answer', ...toQuestion(question), ...more });
  const { isWrong } = act;
  const answers = isWrong ? wrongAnswersTo(question, chance) : answersTo(question, chance, act.id);
  const [field, ...others] = question.fields;
  const isShort = !isWrong && field && others.length === 0 && chance.percent(50);
  Object.assign(act.body, isShort ? { answer: answers[field.key] } : { answers });
  return act;
}

export function decline(world: World, story: Story, question: Question): Act {
  return draft(world, story, { deed: 'decline', ...toQuestion(question) });
}

const GIVES_UP_PERCENT = 25;

/**
 * Send it until somebody says what became of it: the same again, with the same key, as clients do, to any API. Without a key
 * it is sent once. Where nothing was accepted, as it is said, some leave it at that.
 */
export async function carryThrough(world: World, act: Act, chance: Chance): Promise<Try> {
  for (;;) {
    const made = await tryOnce(act, anApi(world, chance));
    if (isReply(made) || !act.isKeyed) return made;
    if (saysNothingWasAccepted(made) && act.deed !== 'start' && chance.percent(GIVES_UP_PERCENT)) return made;
    if (isStuck(world, act.tries[0]?.sentAt ?? 0)) return made;
    await pause(chance.int(200, 1_500));
  }
}

export function saysNothingWasAccepted({ status, detail = '' }: Try): boolean {
  return status === 503 && /nothing was accepted|was not taken/i.test(detail);
}
