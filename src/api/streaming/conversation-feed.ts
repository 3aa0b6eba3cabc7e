import { type BuildLinks, readFromMemo } from '#api/services/read-conversation';
import { isExecutionNotFound, isTemporalUnavailable } from '#api/temporal/errors';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { PartialMessage } from '#contract/events';
import type { ConversationChanges } from '#core/projections';
import { cursorAt, EventBuffer, type StreamCursor } from './event-buffer';
import { EMPTY_SUMMARY, reduceHistoryEvents } from './history-summary';
import { IMMEDIATELY, PollLoop, UNTIL_WOKEN } from './poll-loop';
import { readChanges, withEarlierEntries } from './read-changes';
import { SharedFeed } from './shared-feed';
import type { SseConnection } from './sse-connection';

/**
 * The feed of one running conversation, shared by all its viewers and polled only while there are any. A history poll
 * detects changes, one query reads them, and each connection takes events from the buffer at its own speed.
 */
export class ConversationFeed extends SharedFeed<StreamCursor> {
  private readonly buffer = new EventBuffer();
  private readonly historyLoop = new PollLoop(
    () => this.pollHistory(),
    (error) => this.onHistoryError(error),
  );
  private readonly changeLoop = new PollLoop(
    () => this.readNextChanges(),
    (error) => this.onReadError(error),
  );
  private readonly textLoop = new PollLoop(() => this.pollPartialText());

  private historyPoll: AbortController | undefined;
  private historyToken: Uint8Array | undefined;
  private history = EMPTY_SUMMARY;
  private knownEvents: number;

  /** Runs that continued as new since the last read. */
  private earlierRuns: Execution[] = [];
  private isClosed = false;
  /** Number of reads started. */
  private reads = 0;
  private isReading = false;
  /** Whether there are changes that have not been read yet. */
  private isBehind = false;

  /** The model call in progress, whose heartbeats hold the text written so far. */
  private modelCall: { runId: string; id: string } | undefined;
  /** Changes when the conversation moves on, so that the result of a poll in flight is discarded. */
  private textGeneration = 0;

  constructor(
    private readonly gateway: TemporalGateway,
    private run: Execution,
    private readonly buildLinks: BuildLinks,
    private readonly textPollMs: number,
    private readonly onEnd: () => void,
  ) {
    super();
    this.knownEvents = run.historyLength;
  }

  /** Streams everything after `lastEventId`, or starts with a snapshot if that is undefined. */
  subscribe(connection: SseConnection, lastEventId: number | undefined): Promise<void> {
    const cursor = cursorAt(lastEventId, this.reads);
    if (this.reads === 0) this.start();
    this.changeLoop.wake();
    return this.streamTo(connection, cursor);
  }

  /** Stops all polling. The next subscriber gets a new feed. */
  stop(): void {
    for (const loop of [this.historyLoop, this.changeLoop, this.textLoop]) loop.stop();
    this.historyPoll?.abort();
    this.onEnd();
  }

  protected isReadyFor({ position }: StreamCursor): boolean {
    return position !== undefined || this.buffer.isReady;
  }

  protected next(cursor: StreamCursor) {
    const frame = this.buffer.next(cursor);
    if (frame === undefined) this.buffer.trim(this.cursors);
    return frame;
  }

  protected backlog(cursor: StreamCursor): number {
    return this.buffer.backlog(cursor);
  }

  private start(): void {
    this.reads = 1;
    // The memo of a parked run has its current state, so no worker is needed to show it.
    if (this.run.memo.question) this.beginFromMemo(this.reads);
    for (const loop of [this.historyLoop, this.changeLoop, this.textLoop]) void loop.run();
  }

  private beginFromMemo(readNumber: number): void {
    const { id, memo } = this.run;
    this.buffer.startAt({ ...readFromMemo(this.run), links: this.buildLinks(id) }, memo.lastEntryId, readNumber);
  }

  /** Follows the history across continue-as-new until the run closes: one long poll at a time. */
  private async pollHistory(): Promise<number> {
    // A new one for each poll: the SDK never removes its listener from a signal.
    this.historyPoll = new AbortController();
    const { events, token } = await this.gateway.pollHistory(this.run, this.historyToken, this.historyPoll.signal);
    if (this.historyLoop.isStopped) return IMMEDIATELY;
    this.history = reduceHistoryEvents(this.history, events, this.knownEvents);
    this.historyToken = token;
    const { ending } = this.history;
    this.isClosed = ending === 'closed';
    if (this.isClosed) this.historyLoop.stop();
    else if (typeof ending === 'object') this.continueIn(ending.continuedAsRunId);
    else if (!token?.length) throw new Error('The history of a running workflow has no end.');
    this.trackModelCall(this.isClosed ? undefined : this.history.modelCall?.id);
    this.isBehind ||= this.history.hasChanges || this.isClosed;
    this.changeLoop.wake();
    return IMMEDIATELY;
  }

  private continueIn(runId: string): void {
    this.earlierRuns.push(this.run);
    this.run = { ...this.run, runId };
    this.historyToken = undefined;
    this.knownEvents = 0;
    this.history = { ...EMPTY_SUMMARY, hasChanges: true };
  }

  private onHistoryError(error: unknown): void {
    if (isExecutionNotFound(error)) return this.onDeleted();
    if (isTemporalUnavailable(error)) return;
    // The page token is invalid: start at the first event, without reporting known events as changes.
    this.knownEvents = Math.max(this.knownEvents, this.history.events);
    this.historyToken = undefined;
    this.history = EMPTY_SUMMARY;
  }

  /** Reads the changes that the connections need, one read at a time. Changes during a read are left to the next. */
  private async readNextChanges(): Promise<number> {
    const after = this.neededAfter();
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

  /** Returns the entry number after which changes are needed; `undefined` if none are. */
  private neededAfter(): number | undefined {
    const missing = this.cursors.flatMap((cursor) => this.buffer.missingAfter(cursor) ?? []);
    if (this.isBehind && this.buffer.isReady) missing.push(this.buffer.last);
    return missing.length > 0 ? Math.min(...missing) : undefined;
  }

  private async readAfter(after: number): Promise<void> {
    const { run, isClosed } = this;
    const earlierRuns = [...this.earlierRuns];
    this.reads += 1;
    const readNumber = this.reads;
    // Reads this run explicitly, as the conversation may have been reopened since.
    const current = isClosed ? await this.gateway.find(run.id, run.runId) : run;
    if (!current) return this.onDeleted();
    const read = await readChanges(this.gateway, current, after, this.buildLinks);
    const changes = await withEarlierEntries(this.gateway, earlierRuns, read, after);
    this.earlierRuns = this.earlierRuns.slice(earlierRuns.length);
    this.publish(changes, after, readNumber);
    if (!isClosed || this.neededAfter() !== undefined) return;
    this.buffer.finish(changes.conversation);
    this.wakeAll();
    this.stop();
  }

  private publish(changes: ConversationChanges, after: number, readNumber: number): void {
    const { last } = this.buffer;
    const hasReply = changes.items.some(
      (entry) => entry.kind === 'message' && entry.role === 'assistant' && entry.id > last,
    );
    if (hasReply) this.buffer.clearPartialText();
    this.textGeneration += 1;
    this.buffer.applyChanges(changes, after, readNumber);
    this.dropSlow();
    this.buffer.trim(this.cursors);
    this.wakeAll();
  }

  /** Keeps current subscribers connected. New subscribers get the state in the memo. */
  private onReadError(error: unknown): void {
    if (isExecutionNotFound(error)) return this.onDeleted();
    if (!this.buffer.isReady) this.beginFromMemo(0);
    this.wakeAll();
  }

  /** Disconnects everyone, as the conversation was deleted in Temporal. */
  private onDeleted(): void {
    this.closeAll();
    this.stop();
  }

  private trackModelCall(id: string | undefined): void {
    const { runId } = this.run;
    if (id === this.modelCall?.id && (id === undefined || runId === this.modelCall?.runId)) return;
    this.modelCall = id === undefined ? undefined : { runId, id };
    this.textGeneration += 1;
    this.buffer.clearPartialText();
    this.textLoop.wake();
  }

  /** Polls the text being written. Before all changes are read, it might belong to a complete message. */
  private async pollPartialText(): Promise<number> {
    const { modelCall, textGeneration } = this;
    if (!modelCall) return UNTIL_WOKEN;
    const activities = await this.gateway.pendingActivities(this.run);
    const activity = activities.find(({ id }) => id === modelCall.id);
    if (!activity || this.textGeneration !== textGeneration || this.isBehind || this.isReading) return this.textPollMs;
    const { text, thinkingSince } = (activity.heartbeat ?? {}) as { text?: unknown; thinkingSince?: unknown };
    const retry = PartialMessage.shape.retry.unwrap().safeParse(activity.retry);
    this.buffer.setPartialText({
      text: typeof text === 'string' ? text : '',
      ...(typeof thinkingSince === 'string' ? { thinkingSince } : {}),
      ...(retry.success ? { retry: retry.data } : {}),
    });
    this.wakeAll();
    return this.textPollMs;
  }
}
