import { setTimeout as pause } from 'node:timers/promises';
import { parkBenchConversation, runConcurrently } from '../driver';
import type { BenchContext } from '../setup';
import type { BenchSubject } from '../subjects';

export interface ParkedPopulation {
  /** Those that are parked. */
  ids: string[];
  seconds: number;
}

export interface PopulationOptions {
  concurrency: number;
  /** When the question expires, if it does during the run. */
  expiresAtMs?: (id: string) => number;
  /** No conversation is started after this time. */
  startUntilMs?: number;
}

/** Parks all conversations, or as many as there is time for. */
export async function parkPopulation(
  context: BenchContext,
  subject: BenchSubject,
  ids: string[],
  { concurrency, expiresAtMs, startUntilMs = Number.POSITIVE_INFINITY }: PopulationOptions,
): Promise<ParkedPopulation> {
  const parked: string[] = [];
  const startedAt = performance.now();
  const stopReporting = reportProgress(() => `${subject.name}: ${parked.length} of ${ids.length} are parked.`);
  try {
    await runConcurrently(ids, concurrency, async (id) => {
      if (Date.now() > startUntilMs) return;
      const expiresAt = expiresAtMs?.(id);
      await parkBenchConversation(context, subject, id, expiresAt && expiresAt - Date.now());
      parked.push(id);
    });
  } finally {
    stopReporting();
  }
  return { ids: parked, seconds: (performance.now() - startedAt) / 1_000 };
}

const PROGRESS_INTERVAL_MS = 30_000;

/** Logs the progress every half minute. Returns a function that stops it. */
function reportProgress(message: () => string): () => void {
  const timer = setInterval(() => console.log(`  ${message()}`), PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** When the deadlines fall, all of them. */
export interface DeadlineWindow {
  beginsAtMs: number;
  endsAtMs: number;
}

export interface DrainResult {
  conversations: number;
  /** From the last deadline to the last end, in seconds. */
  seconds: number;
  /** From the first deadline on. */
  perSecond: number;
  /** How many have one outcome, and that nobody answered. */
  correct: number;
  /** In the history of each, as many as a sample has: more than usual where tasks had to be given out again. */
  events: number;
}

/** Spread evenly. */
export function spreadDeadline({ beginsAtMs, endsAtMs }: DeadlineWindow, number: number, count: number): number {
  return beginsAtMs + ((endsAtMs - beginsAtMs) * number) / count;
}

const SAMPLE_SIZE = 100;
const POLL_INTERVAL_MS = 500;
/** Without progress for this long, it is stuck and not just slow. */
const STUCK_AFTER_MS = 180_000;

/** Wait for the deadlines, and until everything has ended; then look at each. */
export async function drainDeadlines(
  context: BenchContext,
  subject: BenchSubject,
  ids: string[],
  deadlines: DeadlineWindow,
): Promise<DrainResult> {
  const endedAt = await waitUntilEnded(context, subject, ids, deadlines);
  const results = await runConcurrently(ids, 20, async (id) => subject.isTimedOutResult(await subject.result(id)));
  const correct = results.filter(Boolean).length;
  if (correct < ids.length)
    throw new Error(
      `${subject.name}: ${ids.length - correct} of ${ids.length} have not one outcome, that nobody answered.`,
    );
  const sample = ids.filter((_, index) => index % Math.ceil(ids.length / SAMPLE_SIZE) === 0);
  return {
    conversations: ids.length,
    seconds: Math.max(0, endedAt - deadlines.endsAtMs) / 1_000,
    perSecond: (1_000 * ids.length) / (endedAt - deadlines.beginsAtMs),
    correct,
    events: await meanEventCount(context, sample),
  };
}

async function waitUntilEnded(
  context: BenchContext,
  subject: BenchSubject,
  ids: string[],
  deadlines: DeadlineWindow,
): Promise<number> {
  let resumed = 0;
  const countResumed = () => {
    resumed += 1;
  };
  for (const id of ids) void context.callbackServer.waitForCall(id, 2).then(countResumed);
  const stopReporting = reportProgress(
    () => `${subject.name}: ${resumed} of ${ids.length} have gone on after their deadline.`,
  );
  await pause(deadlines.endsAtMs - Date.now());
  let lastProgress = { at: Date.now(), resumed };
  while (resumed < ids.length || (await countRunning(context, ids)) > 0) {
    await pause(POLL_INTERVAL_MS);
    if (resumed > lastProgress.resumed) lastProgress = { at: Date.now(), resumed };
    if (Date.now() - lastProgress.at > STUCK_AFTER_MS)
      throw new Error(`${subject.name}: ${ids.length - resumed} conversations hang after their deadline.`);
  }
  stopReporting();
  return Date.now();
}

async function meanEventCount({ client }: BenchContext, ids: string[]): Promise<number> {
  const lengths = await runConcurrently(ids, 20, async (id) => {
    return (await client.workflow.getHandle(id).describe()).historyLength;
  });
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}

/** They have the beginning of their name in common, and nobody else has. */
async function countRunning({ client }: BenchContext, [id = '']: string[]): Promise<number> {
  const label = id.slice(0, id.lastIndexOf('-') + 1);
  const query = `WorkflowId STARTS_WITH '${label}' AND ExecutionStatus = 'Running'`;
  return (await client.workflow.count(query)).count;
}
