import type { ParleyClient } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import type { ConversationTimeline, TimelineEntry } from '#contract/timeline';
import type { CommandContext } from './context';
import { usageError } from './errors';
import { sanitizeLine } from './render/sanitize';

const MAX_LISTED = 10;

/**
 * The question that is meant: the one that is named, else the one that is open, here or with a sub-agent that works for this
 * conversation, else the last one there was.
 */
export async function findTargetQuestion(
  parley: ParleyClient,
  id: string,
  named: string | undefined,
): Promise<Question> {
  if (named !== undefined) return parley.question(id, named);
  const [latest, refusal] = await findLatestQuestion(parley, id);
  if (latest?.status === 'pending') return latest;
  const { items } = await parley.inbox({ conversation: id, limit: MAX_LISTED });
  const [only, ...more] = items;
  if (more.length > 0) throw usageError(`Several agents ask at once. Name one of them: ${listConversationIds(items)}.`);
  if (only) return only;
  if (latest) return latest;
  throw refusal;
}

async function findLatestQuestion(parley: ParleyClient, id: string): Promise<[Question | undefined, unknown]> {
  try {
    return [await parley.question(id), undefined];
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'question_not_found') return [undefined, error];
    throw error;
  }
}

function listConversationIds(questions: Question[]): string {
  return questions.map(({ conversationId }) => sanitizeLine(conversationId)).join(', ');
}

/** How far a conversation has come. */
export interface TimelineSnapshot extends ConversationTimeline {
  /** The number up to which everything is known. */
  last: number;
  /** The one that is open. */
  question: Question | null;
}

/** Nothing, where there is no worker to tell it. */
export async function readTimelineSnapshot(parley: ParleyClient, id: string): Promise<TimelineSnapshot | undefined> {
  try {
    return toTimelineSnapshot(await parley.timeline(id));
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'worker_unavailable') return undefined;
    throw error;
  }
}

export function toTimelineSnapshot(timeline: ConversationTimeline): TimelineSnapshot {
  const open = timeline.items.findLast((entry) => entry.kind === 'question' && entry.settledId === null);
  const question = open?.kind === 'question' ? open.question : null;
  return { ...timeline, last: Math.max(0, ...timeline.items.map(lastNumberOf)), question };
}

function lastNumberOf(entry: TimelineEntry): number {
  return entry.kind === 'question' ? Math.max(entry.id, entry.settledId ?? 0) : entry.id;
}

/** The question as it was settled; nothing while it waits on, or where that cannot be found out. */
export async function readResolvedQuestion(
  parley: Pick<ParleyClient, 'question'>,
  { conversationId, id }: Question,
  signal?: AbortSignal,
): Promise<Question | undefined> {
  const now = await parley.question(conversationId, id, { signal }).catch(() => undefined);
  return now && now.status !== 'pending' ? now : undefined;
}

/** Nobody acts on anything just now. Where it cannot be told, nothing is said: what was asked for is shown all the same. */
export async function hasNoWorker({ parley }: Pick<CommandContext, 'parley'>, signal?: AbortSignal): Promise<boolean> {
  const status = await parley.status({ signal }).catch(() => undefined);
  return status?.workers === 0;
}
