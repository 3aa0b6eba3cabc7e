import { setTimeout as pause } from 'node:timers/promises';
import type { BenchContext } from './setup';
import type { BenchSubject } from './subjects';

/** One conversation's times, in milliseconds. */
export interface ConversationTimes {
  /** From sending the answer to having the reply to that request. */
  answer: number;
  /** From sending the answer to the second activity's call arriving outside. */
  resumed: number;
  whole: number;
}

/** Seldom: a look costs as much as a step of the conversation does. */
const POLL_INTERVAL_MS = 50;
const CONVERSATION_TIMEOUT_MS = 60_000;

/**
 * Start, wait until it is parked, answer, wait for the result. Both sides are watched in the same way: looks begin when
 * the first activity has called out, and the end is awaited by Temporal's own long poll for the result.
 */
export async function runBenchConversation(
  stage: BenchContext,
  side: BenchSubject,
  id: string,
): Promise<ConversationTimes> {
  const enough = new AbortController();
  const late = pause(CONVERSATION_TIMEOUT_MS, undefined, { signal: enough.signal }).then(() => {
    throw new Error(`${side.name}: conversation ${id} did not end in ${CONVERSATION_TIMEOUT_MS / 1_000} s.`);
  });
  try {
    return await Promise.race([playConversation(stage, side, id), late]);
  } finally {
    late.catch(() => undefined);
    enough.abort();
  }
}

async function playConversation(stage: BenchContext, side: BenchSubject, id: string): Promise<ConversationTimes> {
  const began = performance.now();
  await parkBenchConversation(stage, side, id);
  const resumes = stage.world.arrival(id, 2);
  const sent = performance.now();
  await side.answer(id);
  const answered = performance.now();
  const resumed = await resumes;
  const result = await side.result(id);
  if (!side.isRight(result))
    throw new Error(`${side.name}: conversation ${id} ended wrongly: ${JSON.stringify(result)}`);
  return { answer: answered - sent, resumed: resumed - sent, whole: performance.now() - began };
}

export async function parkBenchConversation(
  { world }: BenchContext,
  side: BenchSubject,
  id: string,
  timeoutMs?: number,
): Promise<void> {
  await side.start(id, timeoutMs);
  await world.arrival(id, 1);
  do await pause(POLL_INTERVAL_MS);
  while (!(await side.isParked(id)));
}

/** Run it for each of `ids`, so many at once. */
export async function runConcurrently<T>(
  ids: string[],
  concurrency: number,
  work: (id: string) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const left = [...ids];
  const takeOn = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) results.push(await work(id));
  };
  await Promise.all(Array.from({ length: concurrency }, takeOn));
  return results;
}
