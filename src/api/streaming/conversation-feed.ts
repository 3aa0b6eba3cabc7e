import { type BuildLinks, readFromMemo } from '#api/services/read-conversation';
import { isExecutionNotFound } from '#api/temporal/errors';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import type { ConversationChanges } from '#core/projections';
import { ChangeReader } from './change-reader';
import { cursorAt, EventBuffer, type StreamCursor } from './event-buffer';
import { HistoryPoller, type HistorySummary } from './history-poller';
import { PartialTextPoller } from './partial-text';
import type { SseConnection } from './sse-connection';
import { Subscribers } from './subscribers';

/**
 * The feed of one running conversation, shared by all its viewers and polled only while there are any. A history poll
 * detects changes, one query reads them, and each connection takes events from the buffer at its own speed.
 */
export class ConversationFeed {
  private readonly buffer = new EventBuffer();
  private readonly subscribers: Subscribers<StreamCursor>;
  private readonly historyPoller: HistoryPoller;
  private readonly changeReader: ChangeReader;
  private readonly partialText: PartialTextPoller;

  constructor(
    gateway: TemporalGateway,
    private readonly run: Execution,
    private readonly buildLinks: BuildLinks,
    textPollMs: number,
    private readonly onEnd: () => void,
  ) {
    this.subscribers = new Subscribers<StreamCursor>(
      {
        isReadyFor: (cursor) => this.isReadyFor(cursor),
        next: (cursor) => this.next(cursor),
        backlog: (cursor) => this.buffer.backlog(cursor),
      },
      () => this.stop(),
    );
    this.historyPoller = new HistoryPoller(gateway, run, {
      onRead: (currentRun, summary) => this.onHistory(currentRun, summary),
      onGone: () => this.closeAll(),
    });
    this.changeReader = new ChangeReader(gateway, run, buildLinks, {
      neededAfter: () => this.neededAfter(),
      onRead: (changes, after, readNumber) => this.publish(changes, after, readNumber),
      onEnd: (changes) => this.finish(changes),
      onGone: () => this.closeAll(),
      onFailure: (error) => this.onReadError(error),
    });
    this.partialText = new PartialTextPoller(gateway, textPollMs, (text) => this.onPartialText(text));
  }

  /** Streams everything after `lastEventId`, or starts with a snapshot if that is undefined. */
  subscribe(connection: SseConnection, lastEventId: number | undefined): Promise<void> {
    const cursor = cursorAt(lastEventId, this.changeReader.reads);
    if (this.changeReader.reads === 0) this.start();
    this.changeReader.wake();
    return this.subscribers.subscribe(connection, cursor);
  }

  /** Stops all polling. The next subscriber gets a new feed. */
  stop(): void {
    for (const part of [this.historyPoller, this.changeReader, this.partialText]) part.stop();
    this.onEnd();
  }

  private start(): void {
    this.changeReader.reads = 1;
    // The memo of a parked run has its current state, so no worker is needed to show it.
    if (this.run.memo.question) this.beginFromMemo(this.changeReader.reads);
    for (const part of [this.historyPoller, this.changeReader, this.partialText]) part.start();
  }

  private beginFromMemo(readNumber: number): void {
    const { id, memo } = this.run;
    this.buffer.startAt({ ...readFromMemo(this.run), links: this.buildLinks(id) }, memo.lastEntryId, readNumber);
  }

  private isReadyFor({ position }: StreamCursor): boolean {
    return position !== undefined || this.buffer.isReady;
  }

  private next(cursor: StreamCursor) {
    const frame = this.buffer.next(cursor);
    if (frame === undefined) this.buffer.trim(this.subscribers.cursors);
    return frame;
  }

  private neededAfter(): number | undefined {
    const missing = this.subscribers.cursors.flatMap((cursor) => this.buffer.missingAfter(cursor) ?? []);
    if (this.changeReader.isBehind && this.buffer.isReady) missing.push(this.buffer.last);
    return missing.length > 0 ? Math.min(...missing) : undefined;
  }

  private onHistory(run: Execution, { hasChanges, ending, modelCall }: HistorySummary): void {
    const isClosed = ending === 'closed';
    const isNewCall = this.partialText.track(modelCall && !isClosed ? { run, id: modelCall.id } : undefined);
    if (isNewCall) this.buffer.clearPartialText();
    if (hasChanges || isClosed) this.changeReader.onHistory(run, isClosed);
  }

  /**
   * Shows partial text only when all earlier changes are read: it might belong to a message that is already complete.
   */
  private onPartialText(text: string): void {
    if (!this.changeReader.isUpToDate) return;
    this.buffer.setPartialText(text);
    this.subscribers.wake();
  }

  private publish(changes: ConversationChanges, after: number, readNumber: number): void {
    const { last } = this.buffer;
    const hasReply = changes.items.some(
      (entry) => entry.kind === 'message' && entry.role === 'assistant' && entry.id > last,
    );
    if (hasReply) this.buffer.clearPartialText();
    this.partialText.invalidate();
    this.buffer.applyChanges(changes, after, readNumber);
    this.subscribers.dropSlow();
    this.buffer.trim(this.subscribers.cursors);
    this.subscribers.wake();
  }

  private finish({ conversation }: ConversationChanges): void {
    this.buffer.finish(conversation);
    this.subscribers.wake();
    this.stop();
  }

  /** Keeps current subscribers connected. New subscribers get the state in the memo. */
  private onReadError(error: unknown): void {
    if (isExecutionNotFound(error)) return this.closeAll();
    if (!this.buffer.isReady) this.beginFromMemo(0);
    this.subscribers.wake();
  }

  /** Disconnects everyone, as the conversation was deleted in Temporal. */
  private closeAll(): void {
    this.subscribers.closeAll();
    this.stop();
  }
}
