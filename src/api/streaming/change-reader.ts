import { ApiError } from '#api/middleware/errors';
import { withArchivedEntries } from '#api/services/archived-entries';
import { type BuildLinks, readClosedConversation } from '#api/services/read-conversation';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { type ConversationChanges, selectChanges } from '#core/projections';
import { IMMEDIATELY, PollLoop, UNTIL_WOKEN } from './poll-loop';
import { toStreamEvents } from './sse-encoding';

export interface ChangeListener {
  /** The number after which somebody has to be told; none where nobody is owed anything. */
  wanted(): number | undefined;
  onRead(changes: ConversationChanges, after: number, read: number): void;
  /** All there will ever be has been read. */
  onEnd(changes: ConversationChanges): void;
  onFailure(error: unknown): void;
}

/** Reads what is new in a conversation, one read at a time: what comes during one is for the next. */
export class ChangeReader {
  private readonly loop: PollLoop;
  /** Rolled over from since the last read. */
  private earlier: Execution[] = [];
  private isClosed = false;
  private isReading = false;
  /** Something has happened that was not read yet. */
  isBehind = false;
  /** How many reads were begun. */
  reads = 0;

  constructor(
    private readonly gateway: TemporalGateway,
    private run: Execution,
    private readonly linksOf: BuildLinks,
    private readonly readership: ChangeListener,
  ) {
    this.loop = new PollLoop(
      () => this.step(),
      (error) => readership.onFailure(error),
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

  /** Somebody may be owed something. */
  ring(): void {
    this.loop.ring();
  }

  /** Something has happened, in this run, which may be another by now. */
  hear(run: Execution, isClosed: boolean): void {
    if (run.runId !== this.run.runId) this.earlier.push(this.run);
    this.run = run;
    this.isClosed = isClosed;
    this.isBehind = true;
    this.loop.ring();
  }

  private async step(): Promise<number> {
    const after = this.readership.wanted();
    if (after === undefined) return UNTIL_WOKEN;
    this.isBehind = false;
    this.isReading = true;
    try {
      await this.read(after);
    } catch (error) {
      this.isBehind = true;
      throw error;
    } finally {
      this.isReading = false;
    }
    return IMMEDIATELY;
  }

  private async read(after: number): Promise<void> {
    const { run, isClosed } = this;
    const earlier = [...this.earlier];
    this.reads += 1;
    const read = this.reads;
    // This very run: the conversation may have been taken up again since.
    const seen = isClosed ? await this.gateway.find(run.id, run.runId) : run;
    const now = await readChanges(this.gateway, seen, after, this.linksOf);
    const changes = await withEarlierEntries(this.gateway, earlier, now, after);
    this.earlier = this.earlier.slice(earlier.length);
    this.readership.onRead(changes, after, read);
    if (isClosed && this.readership.wanted() === undefined) this.readership.onEnd(changes);
  }
}

/** Where nobody needs what came before: only what it has come to. */
export const NO_EARLIER_ENTRIES = Number.MAX_SAFE_INTEGER;

/** What is new in a conversation after that number: from its result when finished, else by a query. */
export async function readChanges(
  gateway: TemporalGateway,
  run: Execution,
  after: number,
  linksOf: BuildLinks,
): Promise<ConversationChanges> {
  const changes = await withArchivedEntries(gateway.keptEntries, run.id, await read(gateway, run, after), after);
  return { ...changes, conversation: { ...changes.conversation, links: linksOf(run.id) } };
}

async function read(gateway: TemporalGateway, run: Execution, after: number): Promise<ConversationChanges> {
  if (!isExecutionClosed(run)) return gateway.queryChanges(run, after);
  const state = await gateway.result(run);
  return state ? selectChanges(state, after) : leftBehind(gateway, run, after);
}

/** Ended from outside, or a sub-agent's, it left no state: a worker can still tell what was in it, and without one the memo how far it came. */
async function leftBehind(gateway: TemporalGateway, run: Execution, after: number): Promise<ConversationChanges> {
  const { question, lastEntry } = run.memo;
  const conversation = await readClosedConversation(gateway, run);
  // It was parked, so that the memo has its last number, and nobody is owed anything before that.
  if (question && lastEntry !== undefined && after >= lastEntry) return { items: [], last: lastEntry, conversation };
  const seen = await gateway.queryChanges(run, after).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
  return { items: [], last: lastEntry ?? 0, ...seen, conversation };
}

/** To roll over drops old entries, the newest too where they are large: then those are only in the run before. */
async function withEarlierEntries(
  gateway: TemporalGateway,
  earlier: Execution[],
  changes: ConversationChanges,
  after: number,
): Promise<ConversationChanges> {
  if (earlier.length === 0 || isWhole(changes, after)) return changes;
  const seen = await Promise.all(earlier.map((run) => gateway.queryChanges(run, after).catch(() => undefined)));
  return { ...changes, items: [...seen.flatMap((one) => one?.items ?? []), ...changes.items] };
}

function isWhole({ items, last }: ConversationChanges, after: number): boolean {
  return toStreamEvents(items).filter(({ number }) => number > after).length >= last - after;
}
