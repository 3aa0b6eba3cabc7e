import { withArchivedEntries } from '#api/services/archived-entries';
import { type BuildLinks, readClosedConversation } from '#api/services/read-conversation';
import { WorkerUnavailableError } from '#api/temporal/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { type ConversationChanges, selectChanges } from '#core/projections';
import { toStreamEvents } from './sse-encoding';

/** For readers that need no entries, only the current state. */
export const NO_EARLIER_ENTRIES = Number.MAX_SAFE_INTEGER;

/** Reads changes after an entry number: from the result of a closed run, else by a query. */
export async function readChanges(
  gateway: TemporalGateway,
  run: Execution,
  after: number,
  buildLinks: BuildLinks,
): Promise<ConversationChanges> {
  const unarchived = await readUnarchived(gateway, run, after);
  const changes = await withArchivedEntries(gateway.readArchive, run.id, unarchived, after);
  return { ...changes, conversation: { ...changes.conversation, links: buildLinks(run.id) } };
}

async function readUnarchived(gateway: TemporalGateway, run: Execution, after: number): Promise<ConversationChanges> {
  if (!isExecutionClosed(run)) return gateway.queryChanges(run, after);
  const state = await gateway.closedState(run);
  return state ? selectChanges(state, after) : readTerminated(gateway, run, after);
}

/**
 * Reads a run without a state: one that was terminated, or a sub-agent's. A worker can still query it; without a
 * worker, the memo has the last number.
 */
async function readTerminated(gateway: TemporalGateway, run: Execution, after: number): Promise<ConversationChanges> {
  const { question, lastEntryId } = run.memo;
  const conversation = await readClosedConversation(gateway, run);
  // The run was parked, so the memo has its last number, and the caller has all entries up to it.
  if (question && after >= lastEntryId) return { items: [], lastEntryId, conversation };
  const queried = await gateway.queryChanges(run, after).catch((error: unknown) => {
    if (!(error instanceof WorkerUnavailableError)) throw error;
  });
  return { items: [], lastEntryId, ...queried, conversation };
}

/** Adds entries from earlier runs: continue-as-new drops old entries, and if they are large, new ones too. */
export async function withEarlierEntries(
  gateway: TemporalGateway,
  earlierRuns: Execution[],
  changes: ConversationChanges,
  after: number,
): Promise<ConversationChanges> {
  const { items, lastEntryId } = changes;
  const isComplete = toStreamEvents(items).filter(({ number }) => number > after).length >= lastEntryId - after;
  if (earlierRuns.length === 0 || isComplete) return changes;
  const earlierChanges = await Promise.all(
    earlierRuns.map((run) => gateway.queryChanges(run, after).catch(() => undefined)),
  );
  return { ...changes, items: [...earlierChanges.flatMap((entry) => entry?.items ?? []), ...items] };
}
