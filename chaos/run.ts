import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { readConfig } from '#channels/read-config';
import type { ConversationExport } from '#contract/responses';
import type { ShutdownHooks } from '#infra/lifecycle';
import { createTemporalClient } from '#infra/temporal/client';
import { writeHistoryFile } from '#test/support/temporal/write-history';
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

/** Sets up a Parley, runs users and faults on it, waits until it has recovered, and checks every invariant. */
export async function runChaos(
  options: ChaosOptions,
  cleanup: ShutdownHooks,
  log: (line: string) => void,
): Promise<ChaosResult & { folder: string }> {
  const environment = await setUpChaos(options, cleanup, log);
  const context: ChaosContext = {
    seed: options.seed,
    recoveryTimeoutMs: options.patienceMs,
    apis: environment.cluster.urls,
    eventLog: createChaosEventLog(),
    model: environment.model,
    cues: environment.cues,
  };
  const faults = await runUnderFaults(options, environment, context, log);
  log('All users are done. Resending the accepted answers and reading every conversation.');
  await resendUnconfirmed(context);
  const violations = await checkConversations(context, environment);
  const { conversations } = context.eventLog;
  const client = createTemporalClient(readConfig({ TEMPORAL_ADDRESS: environment.server.address }).temporal);
  cleanup.push(() => client.connection.close());
  const result = {
    seed: options.seed,
    minutes: options.minutes,
    server: options.server === 'dev' ? 'its dev server' : 'PostgreSQL',
    stats: computeChaosStats(conversations, faults),
    violations,
    continueAsNewCount: await countContinuedAsNew(client),
    toolRuns: [...environment.toolServer.runs.values()].reduce((sum, times) => sum + times, 0),
    misbehaviourCounts: environment.model.misbehaviourCounts,
    crashedProcesses: environment.crashedProcesses,
  };
  const savedLogs = conversations.map(({ background: _, ...conversationLog }) => ({
    ...conversationLog,
    subAgentConversations: [...conversationLog.subAgentConversations],
  }));
  writeFileSync(
    path.join(environment.folder, 'ledger.json'),
    JSON.stringify({ faults, violations, conversations: savedLogs }, null, 1),
  );
  await saveEvidence(client, { folder: environment.folder, violations }).catch((error: Error) =>
    log(`Can't save its Temporal history: ${error.message}`),
  );
  return { ...result, folder: environment.folder };
}

/** Runs faults and users together, then the users alone until they are done. */
async function runUnderFaults(
  options: ChaosOptions,
  environment: ChaosEnvironment,
  context: ChaosContext,
  log: (line: string) => void,
): Promise<InjectedFault[]> {
  const began = Date.now();
  const clock = () => `${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s`;
  const faultsOver = new AbortController();
  const longCount = Math.max(2, Math.round(options.conversations / 6));
  const users = runUserPopulation(context, {
    size: options.conversations,
    longCount,
    scenarios: environment.scenarios,
  });
  const progressTimer = setInterval(() => log(`${clock()}  ${formatProgress(context)}`), PROGRESS_MS);
  try {
    await waitForFirstAnswer(context);
    if (!options.rounds) abortAfter(faultsOver, options.minutes * 60_000);
    const { seed, gapMs, rounds } = options;
    const settings = { seed, gapMs, rounds, log: (fault: string) => log(`${clock()}  ${fault}`) };
    const faults = await Promise.race([injectFaults(environment, settings, faultsOver.signal), users.then(() => [])]);
    environment.model.stopMisbehaving();
    context.faultsEndedAt = Date.now();
    log(`${clock()}  no more faults; ${formatProgress(context)}`);
    await users;
    return faults;
  } finally {
    clearInterval(progressTimer);
    faultsOver.abort();
  }
}

/** Waits for the first answer: before that, faults have nothing to break. */
async function waitForFirstAnswer(context: ChaosContext): Promise<void> {
  const deadline = Date.now() + 60_000;
  const isAnswered = ({ actions }: ConversationLog) =>
    actions.some((action) => action.question && listFinalReplies(action).some(({ status }) => status === 200));
  while (!context.eventLog.conversations.some(isAnswered)) {
    if (Date.now() > deadline) throw new Error('No answer succeeded before the first fault.');
    await pause(100);
  }
}

function abortAfter(faultsOver: AbortController, ms: number): void {
  const timer = setTimeout(() => faultsOver.abort(), ms);
  faultsOver.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

function formatProgress({ eventLog: { conversations } }: ChaosContext): string {
  const actions = conversations.flatMap((conversationLog) => conversationLog.actions);
  const answered = actions.filter(
    (action) => action.question && listFinalReplies(action).some(({ status }) => status === 200 || status === 202),
  );
  return `${conversations.length} conversations, ${answered.length} answers acknowledged`;
}

/** Resends actions that were accepted but not confirmed: by now their outcome is known. */
async function resendUnconfirmed(context: ChaosContext): Promise<void> {
  const chance = createSeededRandom(context.seed, 'resending');
  const actions = context.eventLog.conversations.flatMap((conversationLog) => conversationLog.actions);
  const unconfirmed = actions.filter(
    (action) =>
      action.hasIdempotencyKey &&
      action.kind !== 'message' &&
      action.kind !== 'start' &&
      listFinalReplies(action).at(-1)?.status === 202,
  );
  await forEachConcurrently(unconfirmed, (action) => resendAction(context, action, chance));
}

async function checkConversations(
  context: ChaosContext,
  { scenarios, model, toolServer }: ChaosEnvironment,
): Promise<InvariantViolation[]> {
  const violations: InvariantViolation[] = [];
  const chance = createSeededRandom(context.seed, 'judge');
  await forEachConcurrently(context.eventLog.conversations, async (conversationLog: ConversationLog) => {
    const read = await Promise.all(
      [conversationLog.conversation, ...conversationLog.subAgentConversations].map((id) =>
        readFinalExport(context, id, chance),
      ),
    );
    const unread = read.filter((document) => typeof document === 'string');
    const documents = read.filter((document) => typeof document !== 'string');
    const { conversation } = conversationLog;
    if (unread.length > 0)
      for (const detail of [...unread.map((reason) => `can't read it: ${reason}`), ...conversationLog.problems])
        violations.push({ promise: CONVERSATION_ENDS, conversation, detail });
    if (unread.length > 0) return;
    violations.push(
      ...checkInvariants({
        log: conversationLog,
        documents,
        scenarios,
        modelLogs: model.logs,
        toolRuns: toolServer.runs,
      }),
    );
  });
  return violations;
}

async function forEachConcurrently<T>(all: T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const runNext = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
}

/** Counts runs that continued as new, after a pause, as Visibility lags behind. */
async function countContinuedAsNew(client: Client): Promise<number> {
  await pause(1_000);
  const query = "ExecutionStatus = 'ContinuedAsNew'";
  const { count } = await client.workflowService.countWorkflowExecutions({ namespace: 'default', query });
  return Number(count);
}

const EXPORT_TRIES = 60;

/** Reads the final export, or returns why it cannot be read. */
async function readFinalExport(
  context: ChaosContext,
  id: string,
  chance: SeededRandom,
): Promise<ConversationExport | string> {
  let why = '';
  for (let left = EXPORT_TRIES; left > 0; left -= 1) {
    const { status, body, detail } = await tryRequest(`${pickApiUrl(context, chance)}/v1/conversations/${id}/export`);
    if (status === 200) return body as ConversationExport;
    why = `${status ?? ''} ${(body as { detail?: string } | undefined)?.detail ?? detail ?? ''}`.trim();
    if (status === 404) break;
    await pause(500);
  }
  return why;
}

const MAX_CONVERSATIONS_SAVED = 30;

/** Saves Temporal's logs and the histories of conversations with violations, since the server is deleted at the end. */
async function saveEvidence(
  client: Client,
  { folder, violations }: { folder: string; violations: InvariantViolation[] },
): Promise<void> {
  const conversations = [...new Set(violations.map(({ conversation }) => conversation))];
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

/**
 * Writes histories for `parley admin replay`. The first run has the lowest number. A history lacks pending work, which
 * is written to a separate file.
 */
async function saveHistories(client: Client, folder: string, id: string): Promise<void> {
  const runs: string[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${id}'` })) runs.unshift(runId);
  for (const [index, runId] of runs.entries()) {
    const history = await client.workflow.getHandle(id, runId).fetchHistory();
    writeHistoryFile(path.join(folder, `${id}-${index + 1}.pb.gz`), history);
  }
  const { pendingWorkflowTask, pendingActivities } = (await client.workflow.getHandle(id).describe()).raw;
  const pending = { pendingWorkflowTask, pendingActivities };
  writeFileSync(path.join(folder, `${id}-pending.json`), JSON.stringify(pending, null, 1));
}
