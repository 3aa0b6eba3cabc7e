import { Refusal } from '#api/errors';
import type { Gateway } from '#api/gateway';
import { withKept } from '#api/kept-entries';
import { conversationLeft, type LinksOf } from '#api/reading';
import { isClosed, type Run } from '#api/run';
import { type ConversationChanges, selectChanges } from '#core/projections';
import { eventsOf } from './frames';

/** Where nobody needs what came before: only what it has come to. */
export const NONE_BEFORE = Number.MAX_SAFE_INTEGER;

/** What is new in a conversation after that number: from its result when finished, else by a query. */
export async function readChanges(
  gateway: Gateway,
  run: Run,
  after: number,
  linksOf: LinksOf,
): Promise<ConversationChanges> {
  const changes = await withKept(gateway.keptEntries, run.id, await read(gateway, run, after), after);
  return { ...changes, conversation: { ...changes.conversation, links: linksOf(run.id) } };
}

async function read(gateway: Gateway, run: Run, after: number): Promise<ConversationChanges> {
  if (!isClosed(run)) return gateway.queryChanges(run, after);
  const state = await gateway.result(run);
  return state ? selectChanges(state, after) : leftBehind(gateway, run, after);
}

/** Ended from outside, or a sub-agent's, it left no state: a worker can still tell what was in it, and without one the memo how far it came. */
async function leftBehind(gateway: Gateway, run: Run, after: number): Promise<ConversationChanges> {
  const { question, lastEntry } = run.memo;
  const conversation = await conversationLeft(gateway, run);
  // It was parked, so that the memo has its last number, and nobody is owed anything before that.
  if (question && lastEntry !== undefined && after >= lastEntry) return { items: [], last: lastEntry, conversation };
  const seen = await gateway.queryChanges(run, after).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });
  return { items: [], last: lastEntry ?? 0, ...seen, conversation };
}

/** To roll over drops old entries, the newest too where they are large: then those are only in the run before. */
export async function withEarlier(
  gateway: Gateway,
  earlier: Run[],
  changes: ConversationChanges,
  after: number,
): Promise<ConversationChanges> {
  if (earlier.length === 0 || isWhole(changes, after)) return changes;
  const seen = await Promise.all(earlier.map((run) => gateway.queryChanges(run, after).catch(() => undefined)));
  return { ...changes, items: [...seen.flatMap((one) => one?.items ?? []), ...changes.items] };
}

function isWhole({ items, last }: ConversationChanges, after: number): boolean {
  return eventsOf(items).filter(({ number }) => number > after).length >= last - after;
}
