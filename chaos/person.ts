import { setTimeout as pause } from 'node:timers/promises';
import type { Question } from '#contract/question';
import { answer, carryThrough, decline, draft } from './acts';
import { type Chance, chanceOf } from './chance';
import { tryOnce } from './door';
import { type Act, isReply, type Story } from './ledger';
import { readRef } from './play';
import { anApi, type World } from './world';

const MANNERS = {
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
type Manner = keyof typeof MANNERS;

/** What is lost in thought at most: a question with a later deadline is not left to expire. */
const SOON_MS = 8_000;

/** A person is shown a question and does something about it. The seed says what. */
export async function meet(world: World, story: Story, question: Question, time: number): Promise<void> {
  const { play, step, call } = readRef(JSON.stringify([question.fields, question.confirms])) ?? {};
  const chance = chanceOf(world.seed, 'person', play ?? '', step ?? 0, call ?? 0, time);
  await pause(chance.int(0, 400));
  const manner = time === 0 ? chance.weighted(MANNERS) : 'answer';
  await act(world, story, question, chance, mannerFor(manner, question, story));
}

function mannerFor(manner: Manner, { expiresAt }: Question, { play }: Story): Manner {
  const isShort = expiresAt !== null && Date.parse(expiresAt) - Date.now() < SOON_MS;
  if ((manner === 'expire' || manner === 'late') && !isShort) return 'repeat';
  return manner === 'cancel' && play.isLong ? 'answer' : manner;
}

async function act(
  world: World,
  story: Story,
  question: Question,
  chance: Chance,
  manner: Manner,
): Promise<unknown> {
  const through = (made: Act) => carryThrough(world, made, chance);
  const answers = (more?: Partial<Act>) => answer(world, story, question, chance, more);
  switch (manner) {
    case 'answer':
      return through(answers());
    case 'repeat':
      return repeat(world, story, question, chance);
    case 'duel':
      // Several people at once, at different doors.
      return Promise.all(
        [answers(), answers(), ...(chance.percent(30) ? [decline(world, story, question)] : [])].map(through),
      );
    case 'twice': {
      // A double click: the same at once, by both doors.
      const made = answers();
      return Promise.all([
        through(made),
        tryOnce(made, anApi(world, chance)),
        tryOnce(made, anApi(world, chance)),
      ]);
    }
    case 'decline':
      return through(decline(world, story, question));
    case 'wrong':
      await through(answers({ isWrong: true }));
      return through(answers());
    case 'expire':
      return pause(untilDeadline(question));
    case 'late':
      await pause(untilDeadline(question) + chance.int(20, 1_500));
      return through(answers());
    case 'talk':
      await through(draft(world, story, { deed: 'message' }));
      return through(answers());
    case 'cancel':
      return through(draft(world, story, { deed: 'cancel' }));
  }
}

const untilDeadline = ({ expiresAt }: Question) => Math.max(0, Date.parse(expiresAt ?? '') - Date.now());

/** Answered; and later, as by a client that never heard the reply, the same again; and once more without the key. */
async function repeat(world: World, story: Story, question: Question, chance: Chance): Promise<void> {
  const made = answer(world, story, question, chance);
  await carryThrough(world, made, chance);
  const again = async () => {
    await pause(chance.int(300, 8_000));
    await sendAgain(world, made, chance);
    if (chance.percent(30))
      await tryOnce(answer(world, story, question, chance, { isKeyed: false }), anApi(world, chance));
  };
  story.loose.push(again());
}

/** Until somebody says how it stands. */
export async function sendAgain(world: World, made: Act, chance: Chance): Promise<void> {
  const patience = Date.now() + 30_000;
  while (!isReply(await tryOnce(made, anApi(world, chance))) && Date.now() < patience)
    await pause(chance.int(200, 1_000));
}

/** Somebody says something, and now and then says it again for want of a reply. */
export async function talk(world: World, story: Story, chance: Chance): Promise<void> {
  const made = draft(world, story, { deed: 'message' });
  await carryThrough(world, made, chance);
  if (!chance.percent(30)) return;
  const again = async () => {
    await pause(chance.int(300, 8_000));
    await sendAgain(world, made, chance);
  };
  story.loose.push(again());
}
