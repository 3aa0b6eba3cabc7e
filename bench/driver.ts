import { setTimeout as pause } from 'node:timers/promises';
import type { BenchContext } from './setup';
import type { BenchSubject } from './subjects';

/** Times of one conversation, in milliseconds. */
export interface ConversationTimes {
  /** From sending the answer to receiving the reply to that request. */
  answerMs: number;
  /** From sending the answer to the arrival of the second activity's call. */
  resumedMs: number;
  totalMs: number;
}

/** Long, since a poll costs as much as a step of the conversation. */
const POLL_INTERVAL_MS = 50;
const CONVERSATION_TIMEOUT_MS = 60_000;

/**
 * Starts a conversation, waits until it is parked, answers, and waits for the result. Both subjects are observed alike:
 * polling starts once the first activity has called back, and the result comes from Temporal's own long poll.
 */
export async function runBenchConversation(
  context: BenchContext,
  subject: BenchSubject,
  id: string,
): Promise<ConversationTimes> {
  const abort = new AbortController();
  const timedOut = pause(CONVERSATION_TIMEOUT_MS, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`${subject.name}: conversation ${id} did not end in ${CONVERSATION_TIMEOUT_MS / 1_000} s.`);
  });
  try {
    return await Promise.race([playConversation(context, subject, id), timedOut]);
  } finally {
    timedOut.catch(() => undefined);
    abort.abort();
  }
}

async function playConversation(context: BenchContext, subject: BenchSubject, id: string): Promise<ConversationTimes> {
  const startedAt = performance.now();
  await parkBenchConversation(context, subject, id);
  const resumedAt = context.callbackServer.waitForCall(id, 2);
  const sentAt = performance.now();
  await subject.answer(id);
  const answeredAt = performance.now();
  const resumed = await resumedAt;
  const result = await subject.result(id);
  if (!subject.isExpectedResult(result))
    throw new Error(`${subject.name}: conversation ${id} ended unexpectedly: ${JSON.stringify(result)}`);
  return { answerMs: answeredAt - sentAt, resumedMs: resumed - sentAt, totalMs: performance.now() - startedAt };
}

export async function parkBenchConversation(
  { callbackServer }: BenchContext,
  subject: BenchSubject,
  id: string,
  timeoutMs?: number,
): Promise<void> {
  await subject.start(id, timeoutMs);
  await callbackServer.waitForCall(id, 1);
  do await pause(POLL_INTERVAL_MS);
  while (!(await subject.isParked(id)));
}

/** Runs `work` for each of `ids`, at most `concurrency` at once. */
export async function runConcurrently<T>(
  ids: string[],
  concurrency: number,
  work: (id: string) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const remaining = [...ids];
  const runNext = async () => {
    for (let id = remaining.shift(); id !== undefined; id = remaining.shift()) results.push(await work(id));
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
  return results;
}
