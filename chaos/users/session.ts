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
  /** Number of concurrent conversations. */
  size: number;
  /** How many of them stay parked through all faults. */
  longCount: number;
  /** Filled before a conversation begins, so that the model knows its scenario. */
  scenarios: Map<string, Scenario>;
}

/** Runs `size` conversations at once, each followed by another, until the faults end. Resolves when all are over. */
export async function runUserPopulation(
  context: ChaosContext,
  { size, longCount, scenarios }: UserPopulationOptions,
): Promise<void> {
  let count = 0;
  const begin = (isLong = false) => {
    count += 1;
    const scenario = createScenario(context.seed, count, isLong);
    for (const entry of [scenario, ...listSubAgentScenarios(scenario)]) scenarios.set(entry.name, entry);
    return runConversationSession(context, scenario, `chaos-${context.seed}-${count}`);
  };
  const chain = async () => {
    while (!context.faultsEndedAt) await begin();
  };
  await Promise.all([
    ...Array.from({ length: longCount }, () => begin(true)),
    ...Array.from({ length: size - longCount }, chain),
  ]);
}

function listSubAgentScenarios(scenario: Scenario): Scenario[] {
  return scenario.steps.flatMap(({ calls }) => calls.flatMap((call) => (call.tool === 'delegate' ? [call.play] : [])));
}

const CUE_TIMEOUT_MS = 1_500;
const FIRST_POLL_MS = 60;
const MAX_POLL_MS = 1_000;
/** A question that is still open this long after a response is responded to again. */
const RETRY_QUESTION_MS = 3_000;

/** Runs one conversation with its users, from its start to its last end. */
async function runConversationSession(context: ChaosContext, scenario: Scenario, conversation: string): Promise<void> {
  const log: ConversationLog = {
    scenario,
    conversation,
    actions: [],
    observations: [],
    subAgentConversations: new Set(),
    background: [],
    problems: [],
    waitingSince: Date.now(),
  };
  context.eventLog.conversations.push(log);
  const chance = createSeededRandom(context.seed, 'life', scenario.name);
  if (!(await startSession(context, log, chance))) return;
  const watching = scenario.isWatched ? watchAsViewer(context, log, chance) : undefined;
  await continueSession(context, log, chance);
  await Promise.all([...log.background, watching?.end()]);
}

async function startSession(context: ChaosContext, log: ConversationLog, chance: SeededRandom): Promise<boolean> {
  const { scenario, conversation: id } = log;
  const action = createAction(context, log, {
    kind: 'start',
    body: { id, agent: scenario.agent, message: formatOpeningMessage(scenario) },
  });
  const reply = await sendUntilReplied(context, action, chance);
  if (!isFinalReply(reply)) log.problems.push(`start failed: ${reply.status} ${reply.detail}`);
  return isFinalReply(reply);
}

async function continueSession(context: ChaosContext, log: ConversationLog, chance: SeededRandom): Promise<void> {
  const handled = new Map<string, { times: number; at: number }>();
  for (let reopenings = log.scenario.reopenings; ; ) {
    const next = await waitForNextQuestion(context, log, handled, chance);
    if (next === 'stuck') return;
    // The same question again is no progress.
    if (next === 'ended' || !handled.has(`${next.conversationId} ${next.id}`)) recordProgress(context, log);
    if (next === 'ended') {
      await Promise.all(log.background.splice(0));
      if (!(await hasConversationEnded(context, log, chance))) continue;
      if (reopenings === 0 || context.faultsEndedAt) return;
      reopenings -= 1;
      await sendUserMessage(context, log, chance);
      continue;
    }
    const key = `${next.conversationId} ${next.id}`;
    const { times } = handled.get(key) ?? { times: 0 };
    if (log.scenario.isLong && next.id === 'question-1') await sendMessagesWhileParked(context, log, chance);
    await respondToQuestion(context, log, next, times);
    handled.set(key, { times: times + 1, at: Date.now() });
  }
}

function recordProgress({ faultsEndedAt }: ChaosContext, log: ConversationLog): void {
  if (faultsEndedAt && log.waitingSince <= faultsEndedAt) log.recoveredMs ??= Date.now() - faultsEndedAt;
  log.waitingSince = Date.now();
}

type HandledQuestions = Map<string, { at: number }>;

/** Waits for the next question to respond to, or for the end. */
async function waitForNextQuestion(
  context: ChaosContext,
  log: ConversationLog,
  handled: HandledQuestions,
  chance: SeededRandom,
): Promise<Question | 'ended' | 'stuck'> {
  await context.cues.wait(log, CUE_TIMEOUT_MS);
  for (let wait = FIRST_POLL_MS, polls = 0; ; wait = Math.min(wait * 1.6, MAX_POLL_MS), polls += 1) {
    await pause(wait);
    if (hasWaitedTooLong(context, log.waitingSince)) {
      log.problems.push(`no progress for ${context.recoveryTimeoutMs / 1_000} s after the last fault`);
      return 'stuck';
    }
    const open = await readOpenQuestions(context, log, chance);
    const unhandled = open.find(({ conversationId, id }) => {
      const dealt = handled.get(`${conversationId} ${id}`);
      return !dealt || Date.now() - dealt.at > RETRY_QUESTION_MS;
    });
    if (unhandled) return unhandled;
    const mayBeOver = isScenarioFinished(context, log) || polls % 4 === 3;
    if (mayBeOver && (await hasConversationEnded(context, log, chance))) return 'ended';
  }
}

/** Whether the model has sent its final text, after which nothing follows. */
function isScenarioFinished({ model }: ChaosContext, { scenario }: ConversationLog): boolean {
  const step = model.logs.get(scenario.name)?.step ?? 0;
  return (scenario.steps[step]?.calls.length ?? 0) === 0;
}

async function readOpenQuestions(
  context: ChaosContext,
  log: ConversationLog,
  chance: SeededRandom,
): Promise<Question[]> {
  const latest = await readLatestQuestion(context, log, chance);
  if (latest?.status === 'pending') return [latest];
  if (log.scenario.agent !== 'lead') return [];
  const route = `/v1/questions?conversation=${log.conversation}&limit=100`;
  const { status, body } = await tryRequest(`${pickApiUrl(context, chance)}${route}`);
  const items = status === 200 ? (body as { items: Question[] }).items : [];
  for (const { conversationId } of items)
    if (conversationId !== log.conversation) log.subAgentConversations.add(conversationId);
  return items;
}

async function readLatestQuestion(
  context: ChaosContext,
  log: ConversationLog,
  chance: SeededRandom,
): Promise<Question | undefined> {
  const route = `/v1/conversations/${log.conversation}/questions/latest`;
  const { status, body } = await tryRequest(`${pickApiUrl(context, chance)}${route}`);
  const { code } = (body ?? {}) as { code?: string };
  if (status === 500 || code === 'conversation_not_found') log.problems.push(`a read returned ${status} ${code}`);
  if (status !== 200) return undefined;
  const question = body as Question;
  const { conversationId: conversation, id, outcome } = question;
  const isKnown = log.observations.some((observed) => observed.question === id && observed.status === question.status);
  if (!isKnown)
    log.observations.push({ conversation, question: id, status: question.status, outcome, observedAt: Date.now() });
  return question;
}

async function hasConversationEnded(
  context: ChaosContext,
  log: ConversationLog,
  chance: SeededRandom,
): Promise<boolean> {
  const { status, body } = await tryRequest(`${pickApiUrl(context, chance)}/v1/conversations/${log.conversation}`);
  if (status !== 200) return false;
  return isConversationFinished(body as Conversation);
}

/** Keeps the question open through all faults, and meanwhile sends messages, which make the run continue as new. */
async function sendMessagesWhileParked(
  context: ChaosContext,
  log: ConversationLog,
  chance: SeededRandom,
): Promise<void> {
  while (!context.faultsEndedAt) {
    await sendUserMessage(context, log, chance);
    const nextMessageAt = Date.now() + chance.int(2_000, 6_000);
    while (!context.faultsEndedAt && Date.now() < nextMessageAt) await pause(200);
  }
}

/** The viewer's API may be down, so it retries for about a minute. */
const CONNECT_RETRIES = 30;

/** Follows the conversation live from its start to its first end, through one API and all its faults. */
function watchAsViewer(context: ChaosContext, log: ConversationLog, chance: SeededRandom): { end(): Promise<void> } {
  const abort = new AbortController();
  const client = createParley({
    url: pickApiUrl(context, chance),
    timing: { longestWaitMs: 2_000 },
    retries: CONNECT_RETRIES,
  });
  const follow = async () => {
    for await (const event of client.events(log.conversation, { signal: abort.signal })) {
      const number = (event as { id?: number }).id;
      if (event.event === 'snapshot') log.watched = { from: number ?? 0, numbers: [] };
      else if (number !== undefined) log.watched?.numbers.push(number);
    }
  };
  const followed = follow().catch((error: Error) => log.problems.push(`its event stream failed: ${error.message}`));
  return {
    /** Waits for the end of the stream, with a time limit, as the conversation is over. */
    async end() {
      const overdue = setTimeout(() => {
        log.problems.push('its event stream never sent done');
        abort.abort();
      }, 2 * context.recoveryTimeoutMs);
      await followed;
      clearTimeout(overdue);
    },
  };
}
