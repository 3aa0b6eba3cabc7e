import type { ResultPage } from '#client/options';
import type { ParleyClient } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import type { ConversationTimeline } from '#contract/timeline';
import { latestEventId } from '#core/timeline';
import { describeUnreadable, NO_WORKER_MESSAGE } from '#presentation/labels';
import type { CommandContext } from './context';
import { usageError } from './errors';
import { sanitizeLine } from './render/sanitize';

const MAX_LISTED = 10;

/**
 * Returns the question a command applies to: the given one, else the open one (including sub-agents), else the latest.
 */
export async function findTargetQuestion(
  parley: ParleyClient,
  id: string,
  questionId: string | undefined,
): Promise<Question> {
  if (questionId !== undefined) return parley.question(id, questionId);
  const latest = await parley.question(id).catch((error) => {
    if (error instanceof ParleyError && error.code === 'question_not_found') return error;
    throw error;
  });
  if (!(latest instanceof ParleyError) && latest.status === 'pending') return latest;
  const { items } = await parley.inbox({ conversation: id, limit: MAX_LISTED });
  const [onlyOpen, ...otherOpen] = items;
  if (otherOpen.length > 0) {
    const ids = items.map(({ conversationId }) => sanitizeLine(conversationId)).join(', ');
    throw usageError(`Several questions are open. Choose a conversation: ${ids}.`);
  }
  if (onlyOpen) return onlyOpen;
  if (latest instanceof ParleyError) throw latest;
  return latest;
}

/** The timeline of a conversation at one point in time. */
export interface TimelineSnapshot extends ConversationTimeline {
  /** Id of the last entry in the timeline. */
  lastEntryId: number;
  /** The open question. */
  question: Question | null;
}

/** Returns undefined if no worker can return the timeline. */
export async function readTimelineSnapshot(parley: ParleyClient, id: string): Promise<TimelineSnapshot | undefined> {
  try {
    const timeline = await parley.timeline(id);
    const openEntry = timeline.items.findLast((entry) => entry.kind === 'question' && entry.settledId === null);
    const question = openEntry?.kind === 'question' ? openEntry.question : null;
    return { ...timeline, lastEntryId: Math.max(0, ...timeline.items.map(latestEventId)), question };
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'worker_unavailable') return undefined;
    throw error;
  }
}

/** Returns the question if it is resolved; undefined if it is pending or cannot be read. */
export async function readResolvedQuestion(
  parley: Pick<ParleyClient, 'question'>,
  { conversationId, id }: Question,
  signal?: AbortSignal,
): Promise<Question | undefined> {
  const current = await parley.question(conversationId, id, { signal }).catch(() => undefined);
  return current && current.status !== 'pending' ? current : undefined;
}

/** Returns whether no worker is running. False if unknown, to avoid a wrong warning. */
export async function hasNoWorker({ parley }: Pick<CommandContext, 'parley'>, signal?: AbortSignal): Promise<boolean> {
  const status = await parley.status({ signal }).catch(() => undefined);
  return status?.workers === 0;
}

/** Items of a list, as `--json` prints them. */
export interface ListedItems<T> {
  items: T[];
  isMore: boolean;
  /** Number of items left out because their encryption key is missing. */
  unreadable?: number;
}

const PAGE_SIZE = 100;

/** Reads pages until the limit is reached. `countUnreadable` combines the counts of two pages. */
export async function readPages<T>(
  readPage: (page: { limit: number; cursor: string | undefined }) => Promise<ResultPage<T>>,
  limit: number,
  countUnreadable = (total: number, onPage: number) => total + onPage,
): Promise<ListedItems<T>> {
  const items: T[] = [];
  let unreadable = 0;
  let cursor: string | undefined;
  do {
    const page = await readPage({ limit: PAGE_SIZE, cursor });
    items.push(...page.items);
    unreadable = countUnreadable(unreadable, page.unreadable ?? 0);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length <= limit);
  return { items: items.slice(0, limit), isMore: items.length > limit, ...(unreadable > 0 && { unreadable }) };
}

/** Reports what a list omits, and why it may be out of date. */
export function printListNotices(
  { terminal }: CommandContext,
  { unreadable }: ListedItems<unknown>,
  isWithoutWorker: boolean,
  noun: string,
): void {
  if (unreadable) terminal.printError(describeUnreadable(unreadable, noun));
  if (isWithoutWorker) terminal.printError(NO_WORKER_MESSAGE);
}
