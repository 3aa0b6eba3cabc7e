import { setTimeout as pause } from 'node:timers/promises';
import { parkBenchConversation, runConcurrently } from '../driver';
import type { BenchContext } from '../setup';
import type { BenchSubject } from '../subjects';

export interface ParkedPopulation {
  /** Ids of the parked conversations. */
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

/** Parks all conversations, or as many as time allows. */
export async function parkPopulation(
  context: BenchContext,
  subject: BenchSubject,
  ids: string[],
  { concurrency, expiresAtMs, startUntilMs = Number.POSITIVE_INFINITY }: PopulationOptions,
): Promise<ParkedPopulation> {
  const parked: string[] = [];
  const startedAt = performance.now();
  const stopReporting = reportProgress(() => `${subject.name}: ${parked.length} of ${ids.length} parked.`);
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

/** The period in which all deadlines fall. */
export interface DeadlineWindow {
  beginsAtMs: number;
  endsAtMs: number;
}

export interface DrainResult {
  conversations: number;
  /** From the last deadline to the last end, in seconds. */
  seconds: number;
  /** Measured from the first deadline. */
  perSecond: number;
  /** Number of conversations whose only outcome is a timeout. */
  correct: number;
  /** Mean history length of a sample; higher than usual if tasks were retried. */
  events: number;
}

/** Spreads the deadlines evenly. */
export function spreadDeadline({ beginsAtMs, endsAtMs }: DeadlineWindow, number: number, count: number): number {
  return beginsAtMs + ((endsAtMs - beginsAtMs) * number) / count;
}

const SAMPLE_SIZE = 100;
const POLL_INTERVAL_MS = 500;
/** Without progress for this long, conversations count as stuck. */
const STUCK_AFTER_MS = 180_000;

/** Waits for the deadlines and until all conversations have ended, then checks each result. */
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
      `${subject.name}: ${ids.length - correct} of ${ids.length} don't have a timeout as their only outcome.`,
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
    () => `${subject.name}: ${resumed} of ${ids.length} resumed after their deadline.`,
  );
  await pause(deadlines.endsAtMs - Date.now());
  let lastProgress = { at: Date.now(), resumed };
  while (resumed < ids.length || (await countRunning(context, ids)) > 0) {
    await pause(POLL_INTERVAL_MS);
    if (resumed > lastProgress.resumed) lastProgress = { at: Date.now(), resumed };
    if (Date.now() - lastProgress.at > STUCK_AFTER_MS)
      throw new Error(`${subject.name}: ${ids.length - resumed} conversations are stuck after their deadline.`);
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

/** Counts running conversations by the id prefix that they share, which is unique to them. */
async function countRunning({ client }: BenchContext, [id = '']: string[]): Promise<number> {
  const label = id.slice(0, id.lastIndexOf('-') + 1);
  const query = `WorkflowId STARTS_WITH '${label}' AND ExecutionStatus = 'Running'`;
  return (await client.workflow.count(query)).count;
}
