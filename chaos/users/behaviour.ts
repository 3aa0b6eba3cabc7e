import { setTimeout as pause } from 'node:timers/promises';
import type { Question } from '#contract/question';
import { type ChaosContext, pickApiUrl } from '../context';
import { type ConversationLog, isFinalReply, type UserAction } from '../event-log';
import { sendAction } from '../http';
import { createSeededRandom, type SeededRandom } from '../random';
import { parseCallRef } from '../scenario/scenario';
import { createAction, createAnswer, createDecline, sendUntilReplied } from './actions';

const BEHAVIOUR_WEIGHTS = {
  answer: 38,
  repeat: 16,
  duel: 10,
  twice: 8,
  decline: 6,
  wrong: 8,
  expire: 4,
  late: 4,
  talk: 4,
  cancel: 2,
};
type Behaviour = keyof typeof BEHAVIOUR_WEIGHTS;

/** What is lost in thought at most: a question with a later deadline is not left to expire. */
const SHORT_DEADLINE_MS = 8_000;

/** A person is shown a question and does something about it. The seed says what. */
export async function respondToQuestion(
  world: ChaosContext,
  story: ConversationLog,
  question: Question,
  time: number,
): Promise<void> {
  const { play, step, call } = parseCallRef(JSON.stringify([question.fields, question.confirms])) ?? {};
  const chance = createSeededRandom(world.seed, 'person', play ?? '', step ?? 0, call ?? 0, time);
  await pause(chance.int(0, 400));
  const manner = time === 0 ? chance.weighted(BEHAVIOUR_WEIGHTS) : 'answer';
  await performBehaviour(world, story, question, chance, adjustBehaviour(manner, question, story));
}

function adjustBehaviour(manner: Behaviour, { expiresAt }: Question, { play }: ConversationLog): Behaviour {
  const isShort = expiresAt !== null && Date.parse(expiresAt) - Date.now() < SHORT_DEADLINE_MS;
  if ((manner === 'expire' || manner === 'late') && !isShort) return 'repeat';
  return manner === 'cancel' && play.isLong ? 'answer' : manner;
}

async function performBehaviour(
  world: ChaosContext,
  story: ConversationLog,
  question: Question,
  chance: SeededRandom,
  manner: Behaviour,
): Promise<unknown> {
  const through = (made: UserAction) => sendUntilReplied(world, made, chance);
  const answers = (more?: Partial<UserAction>) => createAnswer(world, story, question, chance, more);
  switch (manner) {
    case 'answer':
      return through(answers());
    case 'repeat':
      return answerRepeatedly(world, story, question, chance);
    case 'duel':
      // Several people at once, at different doors.
      return Promise.all(
        [answers(), answers(), ...(chance.percent(30) ? [createDecline(world, story, question)] : [])].map(through),
      );
    case 'twice': {
      // A double click: the same at once, by both doors.
      const made = answers();
      return Promise.all([
        through(made),
        sendAction(made, pickApiUrl(world, chance)),
        sendAction(made, pickApiUrl(world, chance)),
      ]);
    }
    case 'decline':
      return through(createDecline(world, story, question));
    case 'wrong':
      await through(answers({ isWrong: true }));
      return through(answers());
    case 'expire':
      return pause(msUntilDeadline(question));
    case 'late':
      await pause(msUntilDeadline(question) + chance.int(20, 1_500));
      return through(answers());
    case 'talk':
      await through(createAction(world, story, { deed: 'message' }));
      return through(answers());
    case 'cancel':
      return through(createAction(world, story, { deed: 'cancel' }));
  }
}

const msUntilDeadline = ({ expiresAt }: Question) => Math.max(0, Date.parse(expiresAt ?? '') - Date.now());

/** Answered; and later, as by a client that never heard the reply, the same again; and once more without the key. */
async function answerRepeatedly(
  world: ChaosContext,
  story: ConversationLog,
  question: Question,
  chance: SeededRandom,
): Promise<void> {
  const made = createAnswer(world, story, question, chance);
  await sendUntilReplied(world, made, chance);
  const again = async () => {
    await pause(chance.int(300, 8_000));
    await resendAction(world, made, chance);
    if (chance.percent(30))
      await sendAction(createAnswer(world, story, question, chance, { isKeyed: false }), pickApiUrl(world, chance));
  };
  story.loose.push(again());
}

/** Until somebody says how it stands. */
export async function resendAction(world: ChaosContext, made: UserAction, chance: SeededRandom): Promise<void> {
  const patience = Date.now() + 30_000;
  while (!isFinalReply(await sendAction(made, pickApiUrl(world, chance))) && Date.now() < patience)
    await pause(chance.int(200, 1_000));
}

/** Somebody says something, and now and then says it again for want of a reply. */
export async function sendUserMessage(
  world: ChaosContext,
  story: ConversationLog,
  chance: SeededRandom,
): Promise<void> {
  const made = createAction(world, story, { deed: 'message' });
  await sendUntilReplied(world, made, chance);
  if (!chance.percent(30)) return;
  const again = async () => {
    await pause(chance.int(300, 8_000));
    await resendAction(world, made, chance);
  };
  story.loose.push(again());
}
