import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationTimeline, TimelineEntry } from '#contract/timeline';
import { toConversation } from '#core/projections';
import { isConversationState } from '#core/subagents';
import { isEntryAfter, questionsInTimeline, type RecentTimeline, selectTimeline } from '#core/timeline';
import { Refusal } from './errors';
import { memoAsOf } from './freshness';
import type { Gateway } from './gateway';
import { withKept } from './kept-entries';
import { isUntold } from './queries';
import { isClosed, type Run } from './run';

export type LinksOf = (id: string) => ConversationLinks;

export async function readConversation(gateway: Gateway, run: Run, linksOf: LinksOf): Promise<Conversation> {
  const { conversation } = await readAsOf(gateway, run);
  return { ...conversation, links: linksOf(run.id) };
}

/**
 * The conversation, from what needs the least: memo while parked, result when finished, a query in between, and as of
 * when it holds.
 */
export async function readAsOf(gateway: Gateway, run: Run): Promise<{ conversation: Conversation; asOf: number }> {
  const now = Date.now();
  if (isClosed(run)) return { conversation: await conversationLeft(gateway, run), asOf: now };
  if (run.memo.question) return { conversation: fromMemo(run), asOf: memoAsOf(run, now) };
  try {
    return { conversation: await gateway.queryState(run), asOf: now };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const conversation = fromMemo(run);
    return { conversation, asOf: Date.parse(conversation.updatedAt) };
  }
}

/** What a closed run came to: as its state has it; a sub-agent's by its memo, which shortens the result, and its report. */
export async function conversationLeft(gateway: Gateway, run: Run): Promise<Conversation> {
  const left = await gateway.outcome(run);
  if (left && isConversationState(left)) return toConversation(left);
  return { ...fromMemo(run), ...(left ? { result: left.result } : {}) };
}

/** As the memo has it: for lists, with the result shortened. A run ended from outside wrote no ending of its own. */
export function fromMemo(run: Run): Conversation {
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

/** What a person would read. Where the run left no state of its own, only a worker can tell. */
export async function readTimeline(gateway: Gateway, run: Run, after: number): Promise<ConversationTimeline> {
  const state = isClosed(run) ? await gateway.result(run) : null;
  const seen = state
    ? selectTimeline(state)
    : await told(run, gateway.queryTimeline(run), () => leftBehind(gateway, run));
  const { items, ...rest } = await withKept(gateway.keptEntries, run.id, seen, after);
  const asTheyStand = isClosed(run) && !state ? items.map((entry) => abandonedEntry(entry, run)) : items;
  return { items: asTheyStand.filter((entry) => isEntryAfter(entry, after)), ...rest };
}

/**
 * What a worker tells, if it can. A run that was ended from outside with something that no task had taken in cannot be
 * replayed to there (`workflows/unbegun.ts`), by nobody ever: then it is what the run began with.
 */
export async function told<T>(run: Run, asked: Promise<T>, otherwise: () => Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    if (isClosed(run) && isUntold(error)) return otherwise();
    throw error;
  });
}

/** And the question it waited with, which the memo has. */
async function leftBehind(gateway: Gateway, run: Run): Promise<RecentTimeline> {
  const { question, lastEntry } = run.memo;
  const begun = selectTimeline(await gateway.beginning(run));
  const isThere = questionsInTimeline(begun.items).some(({ id }) => id === question?.id);
  const waiting: TimelineEntry[] =
    question && lastEntry !== undefined && !isThere
      ? [{ id: lastEntry, at: question.askedAt, kind: 'question', question, settledId: null }]
      : [];
  return { ...begun, items: [...begun.items, ...waiting], truncated: true };
}

export async function readQuestions(gateway: Gateway, run: Run): Promise<{ items: Question[]; truncated?: true }> {
  const { items, ...rest } = await readTimeline(gateway, run, 0);
  return { items: questionsInTimeline(items), ...rest };
}

/** One question as it stands, with no worker if it is the open one or the last settled. */
export async function readQuestion(gateway: Gateway, run: Run, id: string): Promise<Question> {
  const { question, settled, conversation } = run.memo;
  const open = question && isClosed(run) ? abandoned(question, run) : question;
  const known = [open, settled].find((candidate) => candidate && (id === 'latest' || candidate.id === id));
  if (known) return known;
  const number = Number(/^question-([1-9]\d{0,5})$/.exec(id)?.[1] ?? Number.NaN);
  if (number <= conversation.questionsAsked) {
    const { items } = await readQuestions(gateway, run);
    const older = items.find((candidate) => candidate.id === id);
    if (older) return older;
  }
  const shown = JSON.stringify(id.slice(0, 200));
  throw new Refusal(
    'question_not_found',
    id === 'latest' ? 'Nothing has been asked yet.' : `There is no question ${shown} here.`,
  );
}

/** Open when its run was ended from outside: nobody can answer it any more. */
function abandoned(question: Question, run: Run): Question {
  return {
    ...question,
    status: 'cancelled',
    outcome: { at: run.closedAt ?? question.askedAt, via: 'temporal' },
  };
}

function abandonedEntry(entry: TimelineEntry, run: Run): TimelineEntry {
  if (entry.kind !== 'question' || entry.question.status !== 'pending') return entry;
  return { ...entry, question: abandoned(entry.question, run) };
}
