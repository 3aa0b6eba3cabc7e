import { setTimeout as pause } from 'node:timers/promises';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { isFinished } from '#core/state';
import { carryThrough, draft } from './acts';
import { type Chance, chanceOf } from './chance';
import { request } from './door';
import { isReply, type Story } from './ledger';
import { meet, talk } from './person';
import { openingOf, type Play } from './play';
import { watch } from './watching';
import { anApi, isStuck, type World } from './world';

const CUE_MS = 1_500;
const FIRST_LOOK_MS = 60;
const LAST_LOOK_MS = 1_000;
/** A question that is still open this long after somebody dealt with it is dealt with again. */
const AGAIN_MS = 3_000;

/** One conversation with the people around it, from its start to its last end. */
export async function live(world: World, play: Play, conversation: string): Promise<void> {
  const story: Story = {
    play,
    conversation,
    acts: [],
    sightings: [],
    helpers: new Set(),
    loose: [],
    troubles: [],
    waitingSince: Date.now(),
  };
  world.ledger.stories.push(story);
  const chance = chanceOf(world.seed, 'life', play.name);
  if (!(await begin(world, story, chance))) return;
  const watching = play.isWatched ? watch(world, story, chance) : undefined;
  await goOn(world, story, chance);
  await Promise.all([...story.loose, watching?.end()]);
}

async function begin(world: World, story: Story, chance: Chance): Promise<boolean> {
  const { play, conversation: id } = story;
  const act = draft(world, story, {
    deed: 'start',
    body: { id, agent: play.agent, message: openingOf(play) },
  });
  const told = await carryThrough(world, act, chance);
  if (!isReply(told)) story.troubles.push(`it could not be started: ${told.status} ${told.detail}`);
  return isReply(told);
}

async function goOn(world: World, story: Story, chance: Chance): Promise<void> {
  const dealtWith = new Map<string, { times: number; at: number }>();
  for (let takeUps = story.play.takeUps; ; ) {
    const seen = await next(world, story, dealtWith, chance);
    if (seen === 'stuck') return;
    // To see the same question again is no step forward.
    if (seen === 'ended' || !dealtWith.has(`${seen.conversationId} ${seen.id}`)) noteStep(world, story);
    if (seen === 'ended') {
      await Promise.all(story.loose.splice(0));
      if (!(await hasEnded(world, story, chance))) continue;
      if (takeUps === 0 || world.overSince) return;
      takeUps -= 1;
      await talk(world, story, chance);
      continue;
    }
    const key = `${seen.conversationId} ${seen.id}`;
    const { times } = dealtWith.get(key) ?? { times: 0 };
    if (story.play.isLong && seen.id === 'question-1') await keepTalking(world, story, chance);
    await meet(world, story, seen, times);
    dealtWith.set(key, { times: times + 1, at: Date.now() });
  }
}

function noteStep({ overSince }: World, story: Story): void {
  if (overSince && story.waitingSince <= overSince) story.recoveredMs ??= Date.now() - overSince;
  story.waitingSince = Date.now();
}

type Dealt = Map<string, { at: number }>;

/** The next question that somebody should do something about, or the end. */
async function next(
  world: World,
  story: Story,
  dealtWith: Dealt,
  chance: Chance,
): Promise<Question | 'ended' | 'stuck'> {
  await world.stage.wait(story, CUE_MS);
  for (let wait = FIRST_LOOK_MS, looks = 0; ; wait = Math.min(wait * 1.6, LAST_LOOK_MS), looks += 1) {
    await pause(wait);
    if (isStuck(world, story.waitingSince)) {
      story.troubles.push(`it did not move for ${world.patienceMs / 1_000} s after the faults were over`);
      return 'stuck';
    }
    const open = await openQuestions(world, story, chance);
    const fresh = open.find(({ conversationId, id }) => {
      const dealt = dealtWith.get(`${conversationId} ${id}`);
      return !dealt || Date.now() - dealt.at > AGAIN_MS;
    });
    if (fresh) return fresh;
    const mayBeOver = isEnding(world, story) || looks % 4 === 3;
    if (mayBeOver && (await hasEnded(world, story, chance))) return 'ended';
  }
}

/** Where the model has spoken last, there is nothing more to come. */
function isEnding({ model }: World, { play }: Story): boolean {
  const step = model.heard.get(play.name)?.step ?? 0;
  return (play.steps[step]?.calls.length ?? 0) === 0;
}

async function openQuestions(world: World, story: Story, chance: Chance): Promise<Question[]> {
  const latest = await readLatest(world, story, chance);
  if (latest?.status === 'pending') return [latest];
  if (story.play.agent !== 'lead') return [];
  const route = `/v1/questions?conversation=${story.conversation}&limit=100`;
  const { status, body } = await request(`${anApi(world, chance)}${route}`);
  const items = status === 200 ? (body as { items: Question[] }).items : [];
  for (const { conversationId } of items)
    if (conversationId !== story.conversation) story.helpers.add(conversationId);
  return items;
}

async function readLatest(world: World, story: Story, chance: Chance): Promise<Question | undefined> {
  const route = `/v1/conversations/${story.conversation}/questions/latest`;
  const { status, body } = await request(`${anApi(world, chance)}${route}`);
  const { code } = (body ?? {}) as { code?: string };
  if (status === 500 || code === 'conversation_not_found')
    story.troubles.push(`a read was answered with ${status} ${code}`);
  if (status !== 200) return undefined;
  const question = body as Question;
  const { conversationId: conversation, id, outcome } = question;
  const isKnown = story.sightings.some((seen) => seen.question === id && seen.status === question.status);
  if (!isKnown)
    story.sightings.push({ conversation, question: id, status: question.status, outcome, at: Date.now() });
  return question;
}

async function hasEnded(world: World, story: Story, chance: Chance): Promise<boolean> {
  const { status, body } = await request(`${anApi(world, chance)}/v1/conversations/${story.conversation}`);
  if (status !== 200) return false;
  return isFinished(body as Conversation);
}

/** The question waits through all the faults. What is said meanwhile waits with it, and rolls the run over. */
async function keepTalking(world: World, story: Story, chance: Chance): Promise<void> {
  while (!world.overSince) {
    await talk(world, story, chance);
    const enough = Date.now() + chance.int(2_000, 6_000);
    while (!world.overSince && Date.now() < enough) await pause(200);
  }
}
