import { withArchivedEntries } from '#api/services/archived-entries';
import { type BuildLinks, readClosedConversation } from '#api/services/read-conversation';
import { WorkerUnavailableError } from '#api/temporal/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { type ConversationChanges, selectChanges } from '#core/projections';
import { IMMEDIATELY, PollLoop, UNTIL_WOKEN } from './poll-loop';
import { toStreamEvents } from './sse-encoding';

export interface ChangeListener {
  /** Returns the entry number after which subscribers need changes; `undefined` if none of them needs any. */
  neededAfter(): number | undefined;
  onRead(changes: ConversationChanges, after: number, readNumber: number): void;
  /** The conversation has ended and everything has been read. */
  onEnd(changes: ConversationChanges): void;
  /** The conversation was deleted in Temporal. */
  onGone(): void;
  onFailure(error: unknown): void;
}

/** Reads changes of a conversation, one read at a time. Changes during a read are left to the next. */
export class ChangeReader {
  private readonly loop: PollLoop;
  /** Runs that continued as new since the last read. */
  private earlierRuns: Execution[] = [];
  private isClosed = false;
  private isReading = false;
  /** Whether there are changes that have not been read yet. */
  isBehind = false;
  /** Number of reads started. */
  reads = 0;

  constructor(
    private readonly gateway: TemporalGateway,
    private run: Execution,
    private readonly buildLinks: BuildLinks,
    private readonly listener: ChangeListener,
  ) {
    this.loop = new PollLoop(
      () => this.step(),
      (error) => listener.onFailure(error),
    );
  }

  get isUpToDate(): boolean {
    return !this.isBehind && !this.isReading;
  }

  start(): void {
    void this.loop.run();
  }

  stop(): void {
    this.loop.stop();
  }

  /** Checks again whether a subscriber needs changes. */
  wake(): void {
    this.loop.wake();
  }

  /** Notes that the history has changed. `run` may be a later run than before. */
  onHistory(run: Execution, isClosed: boolean): void {
    if (run.runId !== this.run.runId) this.earlierRuns.push(this.run);
    this.run = run;
    this.isClosed = isClosed;
    this.isBehind = true;
    this.loop.wake();
  }

  private async step(): Promise<number> {
    const after = this.listener.neededAfter();
    if (after === undefined) return UNTIL_WOKEN;
    this.isBehind = false;
    this.isReading = true;
    try {
      await this.readAfter(after);
    } catch (error) {
      this.isBehind = true;
      throw error;
    } finally {
      this.isReading = false;
    }
    return IMMEDIATELY;
  }

  private async readAfter(after: number): Promise<void> {
    const { run, isClosed } = this;
    const earlierRuns = [...this.earlierRuns];
    this.reads += 1;
    const readNumber = this.reads;
    // Reads this run explicitly, as the conversation may have been reopened since.
    const current = isClosed ? await this.gateway.find(run.id, run.runId) : run;
    if (!current) return this.listener.onGone();
    const changes = await readChanges(this.gateway, current, after, this.buildLinks);
    const complete = await withEarlierEntries(this.gateway, earlierRuns, changes, after);
    this.earlierRuns = this.earlierRuns.slice(earlierRuns.length);
    this.listener.onRead(complete, after, readNumber);
    if (isClosed && this.listener.neededAfter() === undefined) this.listener.onEnd(complete);
  }
}

/** For readers that need no entries, only the current state. */
export const NO_EARLIER_ENTRIES = Number.MAX_SAFE_INTEGER;

/** Reads changes after an entry number: from the result of a closed run, else by a query. */
export async function readChanges(
  gateway: TemporalGateway,
  run: Execution,
  after: number,
  buildLinks: BuildLinks,
): Promise<ConversationChanges> {
  const changes = await withArchivedEntries(
    gateway.readArchive,
    run.id,
    await readUnarchived(gateway, run, after),
    after,
  );
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
async function withEarlierEntries(
  gateway: TemporalGateway,
  earlierRuns: Execution[],
  changes: ConversationChanges,
  after: number,
): Promise<ConversationChanges> {
  if (earlierRuns.length === 0 || isComplete(changes, after)) return changes;
  const earlierChanges = await Promise.all(
    earlierRuns.map((run) => gateway.queryChanges(run, after).catch(() => undefined)),
  );
  return { ...changes, items: [...earlierChanges.flatMap((entry) => entry?.items ?? []), ...changes.items] };
}

function isComplete({ items, lastEntryId: last }: ConversationChanges, after: number): boolean {
  return toStreamEvents(items).filter(({ number }) => number > after).length >= last - after;
}
