import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { writeHistoryFile } from '#cli/admin/replay/recorded-histories';
import type { ConversationExport } from '#contract/responses';
import { readConfig } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { createTemporalClient } from '#infra/temporal/client';
import { type ChaosContext, pickApiUrl } from './context';
import { type ConversationLog, createChaosEventLog, listFinalReplies } from './event-log';
import { type InjectedFault, injectFaults } from './fault-injector';
import { tryRequest } from './http';
import { CONVERSATION_ENDS, checkInvariants } from './invariants/check';
import type { InvariantViolation } from './invariants/evidence';
import type { ChaosOptions } from './options';
import { createSeededRandom, type SeededRandom } from './random';
import { type ChaosResult, computeChaosStats } from './report';
import { type ChaosEnvironment, setUpChaos } from './setup';
import { resendAction } from './users/behaviour';
import { runUserPopulation } from './users/session';

const PROGRESS_MS = 15_000;
const CONCURRENCY = 8;

/** Set it up, let people and faults loose on it, let it come to rest, and look whether every promise was kept. */
export async function runChaos(
  flags: ChaosOptions,
  cleanup: ShutdownHooks,
  say: (line: string) => void,
): Promise<ChaosResult & { folder: string }> {
  const stage = await setUpChaos(flags, cleanup, say);
  const world: ChaosContext = {
    seed: flags.seed,
    patienceMs: flags.patienceMs,
    apis: stage.fleet.urls,
    ledger: createChaosEventLog(),
    model: stage.model,
    stage: stage.cues,
  };
  const blows = await runUnderFaults(flags, stage, world, say);
  say('Everybody is done. Asking again about what was kept, and reading every conversation.');
  await resendUnconfirmed(world);
  const findings = await checkConversations(world, stage);
  const { stories } = world.ledger;
  const client = createTemporalClient(readConfig({ TEMPORAL_ADDRESS: stage.server.address }).temporal);
  cleanup.push(() => client.connection.close());
  const outcome = {
    seed: flags.seed,
    minutes: flags.minutes,
    server: flags.server === 'dev' ? 'its dev server' : 'PostgreSQL',
    figures: computeChaosStats(stories, blows),
    findings,
    rollOvers: await countContinuedAsNew(client),
    toolRuns: [...stage.outside.runs.values()].reduce((sum, times) => sum + times, 0),
    misbehaved: stage.model.misbehaved,
    ended: stage.ended,
  };
  const ledger = stories.map(({ loose: _, ...story }) => ({ ...story, helpers: [...story.helpers] }));
  writeFileSync(path.join(stage.folder, 'ledger.json'), JSON.stringify({ blows, findings, ledger }, null, 1));
  await saveEvidence(client, { folder: stage.folder, findings }).catch((error: Error) =>
    say(`What Temporal has on it could not be kept: ${error.message}`),
  );
  return { ...outcome, folder: stage.folder };
}

/** Faults and people at once; then the people alone, until they are done. */
async function runUnderFaults(
  flags: ChaosOptions,
  stage: ChaosEnvironment,
  world: ChaosContext,
  say: (line: string) => void,
): Promise<InjectedFault[]> {
  const began = Date.now();
  const clock = () => `${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s`;
  const enough = new AbortController();
  const long = Math.max(2, Math.round(flags.conversations / 6));
  const people = runUserPopulation(world, { size: flags.conversations, long, plays: stage.plays });
  const telling = setInterval(() => say(`${clock()}  ${formatProgress(world)}`), PROGRESS_MS);
  try {
    await waitForFirstAnswer(world);
    if (!flags.rounds) abortAfter(enough, flags.minutes * 60_000);
    const { seed, gapMs, rounds } = flags;
    const settings = { seed, gapMs, rounds, say: (fault: string) => say(`${clock()}  ${fault}`) };
    const blows = await Promise.race([injectFaults(stage, settings, enough.signal), people.then(() => [])]);
    stage.model.calm();
    world.overSince = Date.now();
    say(`${clock()}  no more faults; ${formatProgress(world)}`);
    await people;
    return blows;
  } finally {
    clearInterval(telling);
    enough.abort();
  }
}

/** Faults begin when there is something to lose. */
async function waitForFirstAnswer(world: ChaosContext): Promise<void> {
  const patience = Date.now() + 60_000;
  const isAnswered = ({ acts }: ConversationLog) =>
    acts.some((act) => act.question && listFinalReplies(act).some(({ status }) => status === 200));
  while (!world.ledger.stories.some(isAnswered)) {
    if (Date.now() > patience) throw new Error('Nobody could answer anything, though there were no faults yet.');
    await pause(100);
  }
}

function abortAfter(enough: AbortController, ms: number): void {
  const timer = setTimeout(() => enough.abort(), ms);
  enough.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

function formatProgress({ ledger: { stories } }: ChaosContext): string {
  const acts = stories.flatMap((story) => story.acts);
  const answered = acts.filter(
    (act) => act.question && listFinalReplies(act).some(({ status }) => status === 200 || status === 202),
  );
  return `${stories.length} conversations, ${answered.length} answers acknowledged`;
}

/** What was kept and not confirmed: by now somebody can tell what became of it. */
async function resendUnconfirmed(world: ChaosContext): Promise<void> {
  const chance = createSeededRandom(world.seed, 'asking again');
  const acts = world.ledger.stories.flatMap((story) => story.acts);
  const unsure = acts.filter(
    (act) =>
      act.isKeyed && act.deed !== 'message' && act.deed !== 'start' && listFinalReplies(act).at(-1)?.status === 202,
  );
  await forEachConcurrently(unsure, (act) => resendAction(world, act, chance));
}

async function checkConversations(
  world: ChaosContext,
  { plays, model, outside }: ChaosEnvironment,
): Promise<InvariantViolation[]> {
  const findings: InvariantViolation[] = [];
  const chance = createSeededRandom(world.seed, 'judge');
  await forEachConcurrently(world.ledger.stories, async (story: ConversationLog) => {
    const read = await Promise.all(
      [story.conversation, ...story.helpers].map((id) => readFinalExport(world, id, chance)),
    );
    const unread = read.filter((document) => typeof document === 'string');
    const documents = read.filter((document) => typeof document !== 'string');
    const { conversation } = story;
    if (unread.length > 0)
      for (const what of [...unread.map((why) => `it cannot be read: ${why}`), ...story.troubles])
        findings.push({ promise: CONVERSATION_ENDS, conversation, what });
    if (unread.length > 0) return;
    findings.push(...checkInvariants({ story, documents, plays, heard: model.heard, runs: outside.runs }));
  });
  return findings;
}

async function forEachConcurrently<T>(all: T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const takeOn = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, takeOn));
}

/** Visibility knows of them a moment later. */
async function countContinuedAsNew(client: Client): Promise<number> {
  await pause(1_000);
  const query = "ExecutionStatus = 'ContinuedAsNew'";
  const { count } = await client.workflowService.countWorkflowExecutions({ namespace: 'default', query });
  return Number(count);
}

const EXPORT_TRIES = 60;

/** How a conversation stands in the end; why it cannot be read, where it cannot. */
async function readFinalExport(
  world: ChaosContext,
  id: string,
  chance: SeededRandom,
): Promise<ConversationExport | string> {
  let why = '';
  for (let left = EXPORT_TRIES; left > 0; left -= 1) {
    const { status, body, detail } = await tryRequest(`${pickApiUrl(world, chance)}/v1/conversations/${id}/export`);
    if (status === 200) return body as ConversationExport;
    why = `${status ?? ''} ${(body as { detail?: string } | undefined)?.detail ?? detail ?? ''}`.trim();
    if (status === 404) break;
    await pause(500);
  }
  return why;
}

const MAX_CONVERSATIONS_SAVED = 30;

/** What Temporal has to say to the findings, since it goes with its server: every run of those conversations, and its logs. */
async function saveEvidence(
  client: Client,
  { folder, findings }: { folder: string; findings: InvariantViolation[] },
): Promise<void> {
  const conversations = [...new Set(findings.map(({ conversation }) => conversation))];
  if (conversations.length === 0) return;
  saveLogs(folder);
  const histories = path.join(folder, 'histories');
  mkdirSync(histories);
  for (const id of conversations.slice(0, MAX_CONVERSATIONS_SAVED)) await saveHistories(client, histories, id);
}

function saveLogs(folder: string): void {
  const server = path.join(folder, 'temporal');
  for (const name of readdirSync(server).filter((file) => file.endsWith('.log')))
    copyFileSync(path.join(server, name), path.join(folder, name));
}

/** As `npm run replay` takes them. The first run has the lowest number. What waits for a worker is not in a history: it is told beside the newest. */
async function saveHistories(client: Client, folder: string, id: string): Promise<void> {
  const runs: string[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${id}'` })) runs.unshift(runId);
  for (const [place, runId] of runs.entries()) {
    const history = await client.workflow.getHandle(id, runId).fetchHistory();
    writeHistoryFile(path.join(folder, `${id}-${place + 1}.pb.gz`), history);
  }
  const { pendingWorkflowTask, pendingActivities } = (await client.workflow.getHandle(id).describe()).raw;
  const pending = { pendingWorkflowTask, pendingActivities };
  writeFileSync(path.join(folder, `${id}-pending.json`), JSON.stringify(pending, null, 1));
}
