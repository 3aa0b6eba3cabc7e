import { setTimeout as pause } from 'node:timers/promises';
import { createParley } from '#client/parley';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { isConversationFinished } from '#core/conversation/state';
import { type ChaosContext, hasWaitedTooLong, pickApiUrl } from '../context';
import { type ConversationLog, isFinalReply } from '../event-log';
import { tryRequest } from '../http';
import { createSeededRandom, type SeededRandom } from '../random';
import { createScenario, formatOpeningMessage, type Scenario } from '../scenario/scenario';
import { createAction, sendUntilReplied } from './actions';
import { respondToQuestion, sendUserMessage } from './behaviour';

export interface UserPopulationOptions {
  /** How many conversations at once. */
  size: number;
  /** How many of them wait through everything. */
  long: number;
  /** Known to the model before they begin. */
  plays: Map<string, Scenario>;
}

/** So many conversations at once, each followed by another, until there are no more faults; resolves when all are over. */
export async function runUserPopulation(
  world: ChaosContext,
  { size, long, plays }: UserPopulationOptions,
): Promise<void> {
  let count = 0;
  const begin = (isLong = false) => {
    count += 1;
    const play = createScenario(world.seed, count, isLong);
    for (const one of [play, ...listSubAgentScenarios(play)]) plays.set(one.name, one);
    return runConversationSession(world, play, `chaos-${world.seed}-${count}`);
  };
  const chain = async () => {
    while (!world.overSince) await begin();
  };
  await Promise.all([
    ...Array.from({ length: long }, () => begin(true)),
    ...Array.from({ length: size - long }, chain),
  ]);
}

function listSubAgentScenarios(play: Scenario): Scenario[] {
  return play.steps.flatMap(({ calls }) => calls.flatMap((call) => (call.tool === 'delegate' ? [call.play] : [])));
}

const CUE_TIMEOUT_MS = 1_500;
const FIRST_POLL_MS = 60;
const MAX_POLL_MS = 1_000;
/** A question that is still open this long after somebody dealt with it is dealt with again. */
const RETRY_QUESTION_MS = 3_000;

/** One conversation with the people around it, from its start to its last end. */
async function runConversationSession(world: ChaosContext, play: Scenario, conversation: string): Promise<void> {
  const story: ConversationLog = {
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
  const chance = createSeededRandom(world.seed, 'life', play.name);
  if (!(await startSession(world, story, chance))) return;
  const watching = play.isWatched ? watchAsViewer(world, story, chance) : undefined;
  await continueSession(world, story, chance);
  await Promise.all([...story.loose, watching?.end()]);
}

async function startSession(world: ChaosContext, story: ConversationLog, chance: SeededRandom): Promise<boolean> {
  const { play, conversation: id } = story;
  const act = createAction(world, story, {
    deed: 'start',
    body: { id, agent: play.agent, message: formatOpeningMessage(play) },
  });
  const told = await sendUntilReplied(world, act, chance);
  if (!isFinalReply(told)) story.troubles.push(`it could not be started: ${told.status} ${told.detail}`);
  return isFinalReply(told);
}

async function continueSession(world: ChaosContext, story: ConversationLog, chance: SeededRandom): Promise<void> {
  const dealtWith = new Map<string, { times: number; at: number }>();
  for (let takeUps = story.play.takeUps; ; ) {
    const seen = await waitForNextQuestion(world, story, dealtWith, chance);
    if (seen === 'stuck') return;
    // To see the same question again is no step forward.
    if (seen === 'ended' || !dealtWith.has(`${seen.conversationId} ${seen.id}`)) recordProgress(world, story);
    if (seen === 'ended') {
      await Promise.all(story.loose.splice(0));
      if (!(await hasConversationEnded(world, story, chance))) continue;
      if (takeUps === 0 || world.overSince) return;
      takeUps -= 1;
      await sendUserMessage(world, story, chance);
      continue;
    }
    const key = `${seen.conversationId} ${seen.id}`;
    const { times } = dealtWith.get(key) ?? { times: 0 };
    if (story.play.isLong && seen.id === 'question-1') await sendMessagesWhileParked(world, story, chance);
    await respondToQuestion(world, story, seen, times);
    dealtWith.set(key, { times: times + 1, at: Date.now() });
  }
}

function recordProgress({ overSince }: ChaosContext, story: ConversationLog): void {
  if (overSince && story.waitingSince <= overSince) story.recoveredMs ??= Date.now() - overSince;
  story.waitingSince = Date.now();
}

type HandledQuestions = Map<string, { at: number }>;

/** The next question that somebody should do something about, or the end. */
async function waitForNextQuestion(
  world: ChaosContext,
  story: ConversationLog,
  dealtWith: HandledQuestions,
  chance: SeededRandom,
): Promise<Question | 'ended' | 'stuck'> {
  await world.stage.wait(story, CUE_TIMEOUT_MS);
  for (let wait = FIRST_POLL_MS, looks = 0; ; wait = Math.min(wait * 1.6, MAX_POLL_MS), looks += 1) {
    await pause(wait);
    if (hasWaitedTooLong(world, story.waitingSince)) {
      story.troubles.push(`it did not move for ${world.patienceMs / 1_000} s after the faults were over`);
      return 'stuck';
    }
    const open = await readOpenQuestions(world, story, chance);
    const fresh = open.find(({ conversationId, id }) => {
      const dealt = dealtWith.get(`${conversationId} ${id}`);
      return !dealt || Date.now() - dealt.at > RETRY_QUESTION_MS;
    });
    if (fresh) return fresh;
    const mayBeOver = isScenarioFinished(world, story) || looks % 4 === 3;
    if (mayBeOver && (await hasConversationEnded(world, story, chance))) return 'ended';
  }
}

/** Where the model has spoken last, there is nothing more to come. */
function isScenarioFinished({ model }: ChaosContext, { play }: ConversationLog): boolean {
  const step = model.heard.get(play.name)?.step ?? 0;
  return (play.steps[step]?.calls.length ?? 0) === 0;
}

async function readOpenQuestions(
  world: ChaosContext,
  story: ConversationLog,
  chance: SeededRandom,
): Promise<Question[]> {
  const latest = await readLatestQuestion(world, story, chance);
  if (latest?.status === 'pending') return [latest];
  if (story.play.agent !== 'lead') return [];
  const route = `/v1/questions?conversation=${story.conversation}&limit=100`;
  const { status, body } = await tryRequest(`${pickApiUrl(world, chance)}${route}`);
  const items = status === 200 ? (body as { items: Question[] }).items : [];
  for (const { conversationId } of items) if (conversationId !== story.conversation) story.helpers.add(conversationId);
  return items;
}

async function readLatestQuestion(
  world: ChaosContext,
  story: ConversationLog,
  chance: SeededRandom,
): Promise<Question | undefined> {
  const route = `/v1/conversations/${story.conversation}/questions/latest`;
  const { status, body } = await tryRequest(`${pickApiUrl(world, chance)}${route}`);
  const { code } = (body ?? {}) as { code?: string };
  if (status === 500 || code === 'conversation_not_found')
    story.troubles.push(`a read was answered with ${status} ${code}`);
  if (status !== 200) return undefined;
  const question = body as Question;
  const { conversationId: conversation, id, outcome } = question;
  const isKnown = story.sightings.some((seen) => seen.question === id && seen.status === question.status);
  if (!isKnown) story.sightings.push({ conversation, question: id, status: question.status, outcome, at: Date.now() });
  return question;
}

async function hasConversationEnded(
  world: ChaosContext,
  story: ConversationLog,
  chance: SeededRandom,
): Promise<boolean> {
  const { status, body } = await tryRequest(`${pickApiUrl(world, chance)}/v1/conversations/${story.conversation}`);
  if (status !== 200) return false;
  return isConversationFinished(body as Conversation);
}

/** The question waits through all the faults. What is said meanwhile waits with it, and rolls the run over. */
async function sendMessagesWhileParked(
  world: ChaosContext,
  story: ConversationLog,
  chance: SeededRandom,
): Promise<void> {
  while (!world.overSince) {
    await sendUserMessage(world, story, chance);
    const enough = Date.now() + chance.int(2_000, 6_000);
    while (!world.overSince && Date.now() < enough) await pause(200);
  }
}

/** That API may be down when they come; they try for a minute. */
const CONNECT_RETRIES = 30;

/** Somebody follows it live from its start to its first end, by one API, whatever becomes of that. */
function watchAsViewer(world: ChaosContext, story: ConversationLog, chance: SeededRandom): { end(): Promise<void> } {
  const enough = new AbortController();
  const client = createParley({
    url: pickApiUrl(world, chance),
    timing: { longestWaitMs: 2_000 },
    retries: CONNECT_RETRIES,
  });
  const follow = async () => {
    for await (const told of client.events(story.conversation, { signal: enough.signal })) {
      const number = (told as { id?: number }).id;
      if (told.event === 'snapshot') story.watched = { from: number ?? 0, numbers: [] };
      else if (number !== undefined) story.watched?.numbers.push(number);
    }
  };
  const followed = follow().catch((error: Error) => story.troubles.push(`who watched it heard ${error.message}`));
  return {
    /** It is over: whoever watches has a moment to hear of it. */
    async end() {
      const late = setTimeout(() => {
        story.troubles.push('who watched it was never told that it is done');
        enough.abort();
      }, 2 * world.patienceMs);
      await followed;
      clearTimeout(late);
    },
  };
}
