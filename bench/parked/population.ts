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
  /** When its question expires, where it does within the run. */
  expires?: (id: string) => number;
  /** None is begun after that. */
  until?: number;
}

/** Park them all, or as many as there is time for. */
export async function parkPopulation(
  stage: BenchContext,
  side: BenchSubject,
  ids: string[],
  { concurrency, expires, until = Number.POSITIVE_INFINITY }: PopulationOptions,
): Promise<ParkedPopulation> {
  const parked: string[] = [];
  const began = performance.now();
  const stop = reportProgress(() => `${side.name}: ${parked.length} of ${ids.length} are parked.`);
  try {
    await runConcurrently(ids, concurrency, async (id) => {
      if (Date.now() > until) return;
      const at = expires?.(id);
      await parkBenchConversation(stage, side, id, at && at - Date.now());
      parked.push(id);
    });
  } finally {
    stop();
  }
  return { ids: parked, seconds: (performance.now() - began) / 1_000 };
}

const PROGRESS_INTERVAL_MS = 30_000;

/** Says every half minute how far it has come, until told to stop. */
function reportProgress(words: () => string): () => void {
  const timer = setInterval(() => console.log(`  ${words()}`), PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** When the deadlines fall, all of them. */
export interface DeadlineWindow {
  begins: number;
  ends: number;
}

export interface DrainResult {
  conversations: number;
  /** From the last deadline to the last end, in seconds. */
  seconds: number;
  /** From the first deadline on. */
  perSecond: number;
  /** How many have one outcome, and that nobody answered. */
  right: number;
  /** In the history of each, as many as a sample has: more than usual where tasks had to be given out again. */
  events: number;
}

/** Spread evenly. */
export function spreadDeadline({ begins, ends }: DeadlineWindow, number: number, count: number): number {
  return begins + ((ends - begins) * number) / count;
}

const SAMPLE_SIZE = 100;
const POLL_INTERVAL_MS = 500;
/** Nothing moved for so long: it is stuck, not slow. */
const STUCK_AFTER_MS = 180_000;

/** Wait for the deadlines, and until everything has ended; then look at each. */
export async function drainDeadlines(
  stage: BenchContext,
  side: BenchSubject,
  ids: string[],
  wave: DeadlineWindow,
): Promise<DrainResult> {
  const ended = await waitUntilEnded(stage, side, ids, wave);
  const results = await runConcurrently(ids, 20, async (id) => side.isExpired(await side.result(id)));
  const right = results.filter(Boolean).length;
  if (right < ids.length)
    throw new Error(`${side.name}: ${ids.length - right} of ${ids.length} have not one outcome, that nobody answered.`);
  const sample = ids.filter((_, place) => place % Math.ceil(ids.length / SAMPLE_SIZE) === 0);
  return {
    conversations: ids.length,
    seconds: Math.max(0, ended - wave.ends) / 1_000,
    perSecond: (1_000 * ids.length) / (ended - wave.begins),
    right,
    events: await meanEventCount(stage, sample),
  };
}

async function waitUntilEnded(
  stage: BenchContext,
  side: BenchSubject,
  ids: string[],
  wave: DeadlineWindow,
): Promise<number> {
  let resumed = 0;
  const seen = () => {
    resumed += 1;
  };
  for (const id of ids) void stage.world.arrival(id, 2).then(seen);
  const stop = reportProgress(() => `${side.name}: ${resumed} of ${ids.length} have gone on after their deadline.`);
  await pause(wave.ends - Date.now());
  let moved = { at: Date.now(), resumed };
  while (resumed < ids.length || (await countRunning(stage, ids)) > 0) {
    await pause(POLL_INTERVAL_MS);
    if (resumed > moved.resumed) moved = { at: Date.now(), resumed };
    if (Date.now() - moved.at > STUCK_AFTER_MS)
      throw new Error(`${side.name}: ${ids.length - resumed} conversations hang after their deadline.`);
  }
  stop();
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
