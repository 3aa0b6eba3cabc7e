import type { Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { WorkerUnavailableError } from '#api/temporal/errors';
import { type Execution, isExecutionClosed, isNotReplayable } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationTimeline, TimelineEntry } from '#contract/timeline';
import { toConversation } from '#core/projections';
import { isConversationState } from '#core/subagents';
import { isEntryAfter, questionsInTimeline, type RecentTimeline, selectTimeline } from '#core/timeline';
import { withArchivedEntries } from './archived-entries';

export type BuildLinks = (id: string) => ConversationLinks;

export async function readConversation(
  gateway: TemporalGateway,
  run: Execution,
  buildLinks: BuildLinks,
): Promise<Conversation> {
  const { conversation } = await readWithFreshness(gateway, run);
  return { ...conversation, links: buildLinks(run.id) };
}

/**
 * Returns the conversation from the cheapest source (memo while parked, result when finished, a query in between), and
 * the time it holds for (`asOf`): now, unless a message waits for a worker or no worker could be queried.
 */
export async function readWithFreshness(
  gateway: TemporalGateway,
  run: Execution,
): Promise<{ conversation: Conversation; asOf: number }> {
  const now = Date.now();
  if (isExecutionClosed(run)) return { conversation: await readClosedConversation(gateway, run), asOf: now };
  if (run.memo.question) return { conversation: readFromMemo(run), asOf: readMemoTime(run, now) };
  try {
    return { conversation: await gateway.queryState(run), asOf: now };
  } catch (error) {
    if (!(error instanceof WorkerUnavailableError)) throw error;
    const conversation = readFromMemo(run);
    return { conversation, asOf: Date.parse(conversation.updatedAt) };
  }
}

/**
 * Returns the conversation of a closed run from its final state. A sub-agent leaves only a report, so its conversation
 * comes from the memo, with the full result from the report.
 */
export async function readClosedConversation(gateway: TemporalGateway, run: Execution): Promise<Conversation> {
  const result = await gateway.closedResult(run);
  if (result && isConversationState(result)) return toConversation(result);
  return { ...readFromMemo(run), ...(result ? { result: result.result } : {}) };
}

/**
 * Returns the conversation from the memo, where the result is shortened: for lists. A run ended in Temporal wrote no
 * final status, so it is derived from Temporal's.
 */
export function readFromMemo(run: Execution): Conversation {
  const { conversation } = run.memo;
  if (run.status === 'RUNNING') return { ...conversation, question: run.memo.question };
  if (run.status === 'COMPLETED') return { ...conversation, question: null };
  const status = run.status === 'TERMINATED' || run.status === 'CANCELLED' ? 'cancelled' : 'failed';
  const message = `The workflow was ${run.status.toLowerCase().replace('_', ' ')} in Temporal.`;
  const completedAt = run.closedAt ?? conversation.updatedAt;
  const error = { code: `workflow_${run.status.toLowerCase()}`, message };
  return {
    ...conversation,
    status,
    completedAt,
    updatedAt: completedAt,
    question: null,
    result: null,
    error,
  };
}

/** Returns the timeline that a person would read. If the run left no final state, it needs a worker. */
export async function readTimeline(
  gateway: TemporalGateway,
  run: Execution,
  after: number,
): Promise<ConversationTimeline> {
  const state = isExecutionClosed(run) ? await gateway.closedState(run) : null;
  const timeline = state
    ? selectTimeline(state)
    : await queryOrFallback(run, gateway.queryTimeline(run), () => initialTimeline(gateway, run));
  const { items, ...rest } = await withArchivedEntries(gateway.readArchive, run.id, timeline, after);
  const entries = isExecutionClosed(run) && !state ? items.map((entry) => cancelOpenEntry(entry, run)) : items;
  return { items: entries.filter((entry) => isEntryAfter(entry, after)), ...rest };
}

/**
 * Returns the query's result, or the fallback if the run cannot be replayed. A run that was ended in Temporal with an
 * unprocessed event can never be replayed to its end (`workflows/reject-premature-query.ts`), so the fallback is what
 * it started with.
 */
export async function queryOrFallback<T>(run: Execution, query: Promise<T>, fallback: () => Promise<T>): Promise<T> {
  return query.catch((error: unknown) => {
    if (isExecutionClosed(run) && isNotReplayable(error)) return fallback();
    throw error;
  });
}

/** Returns the timeline the run started with, and its open question from the memo. */
async function initialTimeline(gateway: TemporalGateway, run: Execution): Promise<RecentTimeline> {
  const { question, lastEntryId } = run.memo;
  const initial = selectTimeline(await gateway.initialState(run));
  const isIncluded = questionsInTimeline(initial.items).some(({ id }) => id === question?.id);
  const openEntries: TimelineEntry[] =
    question && !isIncluded
      ? [{ id: lastEntryId, at: question.askedAt, kind: 'question', question, settledId: null }]
      : [];
  return { ...initial, items: [...initial.items, ...openEntries], truncated: true };
}

export async function readQuestions(
  gateway: TemporalGateway,
  run: Execution,
): Promise<{ items: Question[]; truncated?: true }> {
  const { items, ...rest } = await readTimeline(gateway, run, 0);
  return { items: questionsInTimeline(items), ...rest };
}

/** Returns one question, if it exists. Needs no worker for the open question or the last one settled. */
export async function readQuestion(
  gateway: TemporalGateway,
  run: Execution,
  id: string,
): Promise<Question | undefined> {
  const { question, settledQuestion, conversation } = run.memo;
  const open = question && isExecutionClosed(run) ? cancelOpenQuestion(question, run) : question;
  const known = [open, settledQuestion].find((candidate) => candidate && (id === 'latest' || candidate.id === id));
  if (known) return known;
  const number = Number(/^question-([1-9]\d{0,5})$/.exec(id)?.[1] ?? Number.NaN);
  if (!(number <= conversation.questionsAsked)) return undefined;
  const { items } = await readQuestions(gateway, run);
  return items.find((candidate) => candidate.id === id);
}

/** Marks the open question of a run that was ended in Temporal as cancelled, since it can no longer be answered. */
function cancelOpenQuestion(question: Question, run: Execution): Question {
  return {
    ...question,
    status: 'cancelled',
    outcome: { at: run.closedAt ?? question.askedAt, via: 'temporal' },
  };
}

function cancelOpenEntry(entry: TimelineEntry, run: Execution): TimelineEntry {
  if (entry.kind !== 'question' || entry.question.status !== 'pending') return entry;
  return { ...entry, question: cancelOpenQuestion(entry.question, run) };
}

/** Returns the time a memo holds for: now, unless a message has been waiting for a worker since an earlier time. */
export function readMemoTime(run: Execution, now: number): number {
  return run.pendingSince ?? now;
}

/** Messages accepted after `asOf` are safe, but not processed yet. */
export function setAsOfHeader(response: Response, asOf: number): void {
  response.setHeader('X-Parley-As-Of', new Date(asOf).toISOString());
}

/**
 * Sets the time a list holds for: now while a worker is present, else when the last one polled, if known. Lists wake no
 * workflow.
 */
export async function setListAsOfHeader({ gateway, now }: ApiDeps, response: Response): Promise<void> {
  const asOf = (await gateway.workerPresence.absentSince()) ?? now();
  if (asOf > 0) setAsOfHeader(response, asOf);
  else response.setHeader('X-Parley-As-Of', 'unknown');
}
