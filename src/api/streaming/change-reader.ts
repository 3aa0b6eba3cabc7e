import { withArchivedEntries } from '#api/services/archived-entries';
import { type BuildLinks, readClosedConversation } from '#api/services/read-conversation';
import { WorkerUnavailableError } from '#api/temporal/errors';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { type ConversationChanges, selectChanges } from '#core/projections';
import { IMMEDIATELY, PollLoop, UNTIL_WOKEN } from './poll-loop';
import { toStreamEvents } from './sse-encoding';

export interface ChangeListener {
  /** The entry number after which subscribers need changes; undefined if none of them needs any. */
  neededAfter(): number | undefined;
  onRead(changes: ConversationChanges, after: number, readNumber: number): void;
  /** All there will ever be has been read. */
  onEnd(changes: ConversationChanges): void;
  /** The conversation was deleted in Temporal. */
  onGone(): void;
  onFailure(error: unknown): void;
}

/** Reads what is new in a conversation, one read at a time: what comes during one is for the next. */
export class ChangeReader {
  private readonly loop: PollLoop;
  /** Runs that continued as new since the last read. */
  private earlierRuns: Execution[] = [];
  private isClosed = false;
  private isReading = false;
  /** Something has happened that was not read yet. */
  isBehind = false;
  /** How many reads were begun. */
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
    // This very run: the conversation may have been taken up again since.
    const current = isClosed ? await this.gateway.find(run.id, run.runId) : run;
    if (!current) return this.listener.onGone();
    const changes = await readChanges(this.gateway, current, after, this.buildLinks);
    const complete = await withEarlierEntries(this.gateway, earlierRuns, changes, after);
    this.earlierRuns = this.earlierRuns.slice(earlierRuns.length);
    this.listener.onRead(complete, after, readNumber);
    if (isClosed && this.listener.neededAfter() === undefined) this.listener.onEnd(complete);
  }
}

/** Where nobody needs what came before: only what it has come to. */
export const NO_EARLIER_ENTRIES = Number.MAX_SAFE_INTEGER;

/** What is new in a conversation after that number: from its result when finished, else by a query. */
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

/** A run that was terminated, or a sub-agent's, leaves no state. A worker can still query it; without one, the memo tells the last number. */
async function readTerminated(gateway: TemporalGateway, run: Execution, after: number): Promise<ConversationChanges> {
  const { question, lastEntryId } = run.memo;
  const conversation = await readClosedConversation(gateway, run);
  // It was parked, so that the memo has its last number, and nobody is owed anything before that.
  if (question && lastEntryId !== undefined && after >= lastEntryId) return { items: [], lastEntryId, conversation };
  const queried = await gateway.queryChanges(run, after).catch((error: unknown) => {
    if (!(error instanceof WorkerUnavailableError)) throw error;
  });
  return { items: [], lastEntryId: lastEntryId ?? 0, ...queried, conversation };
}

/** To roll over drops old entries, the newest too where they are large: then those are only in the run before. */
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
