import { ApiError } from '#api/middleware/errors';
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
 * One running conversation, watched once for all its viewers and only while it has any: its history says when to look,
 * one query reads what is new, and each viewer takes it from the window at its own speed.
 */
export class ConversationFeed {
  private readonly window = new EventBuffer();
  private readonly viewers: Subscribers<StreamCursor>;
  private readonly follower: HistoryPoller;
  private readonly reader: ChangeReader;
  private readonly dictation: PartialTextPoller;
  private trouble: unknown;

  constructor(
    gateway: TemporalGateway,
    private readonly run: Execution,
    private readonly linksOf: BuildLinks,
    textEveryMs: number,
    private readonly onEnd: () => void,
  ) {
    this.viewers = new Subscribers<StreamCursor>(
      {
        isReadyFor: (place) => this.isReadyFor(place),
        next: (place) => this.next(place),
        backlog: (place) => this.window.backlog(place),
      },
      () => this.stop(),
    );
    this.follower = new HistoryPoller(gateway, run, {
      onRead: (now, seen) => this.hear(now, seen),
      onGone: () => this.giveUp(),
    });
    this.reader = new ChangeReader(gateway, run, linksOf, {
      wanted: () => this.wanted(),
      onRead: (changes, after, read) => this.publish(changes, after, read),
      onEnd: (changes) => this.finish(changes),
      onFailure: (error) => this.bear(error),
    });
    this.dictation = new PartialTextPoller(gateway, textEveryMs, (text) => this.write(text));
  }

  /** Show it from there on; from a snapshot on where that is nowhere. */
  follow(viewer: SseConnection, at: number | undefined): Promise<void> {
    const place = cursorAt(at, this.reader.reads);
    if (this.reader.reads === 0) this.start();
    this.reader.ring();
    return this.viewers.seat(viewer, place);
  }

  /** No more looking. Who comes next gets a tail of their own. */
  stop(): void {
    for (const part of [this.follower, this.reader, this.dictation]) part.stop();
    this.onEnd();
  }

  private start(): void {
    this.reader.reads = 1;
    // A parked run has written down how it stands: no worker need be woken to show it.
    if (this.run.memo.question) this.beginFromMemo(this.reader.reads);
    for (const part of [this.follower, this.reader, this.dictation]) part.start();
  }

  private beginFromMemo(read: number): boolean {
    const { id, memo } = this.run;
    if (memo.lastEntry === undefined) return false;
    this.window.begin({ ...readFromMemo(this.run), links: this.linksOf(id) }, memo.lastEntry, read);
    return true;
  }

  private isReadyFor({ at }: StreamCursor): boolean {
    if (at !== undefined || this.window.isReady) return true;
    if (this.trouble) throw this.trouble;
    return false;
  }

  private next(place: StreamCursor) {
    const text = this.window.next(place);
    if (text === undefined) this.window.trim(this.viewers.places);
    return text;
  }

  private wanted(): number | undefined {
    const missing = this.viewers.places.flatMap((place) => this.window.missing(place) ?? []);
    if (this.reader.isBehind && this.window.isReady) missing.push(this.window.last);
    return missing.length > 0 ? Math.min(...missing) : undefined;
  }

  private hear(run: Execution, { isNews, ending, thinking }: HistorySummary): void {
    const isClosed = ending === 'closed';
    const isOther = this.dictation.listen(thinking && !isClosed ? { run, id: thinking.id } : undefined);
    if (isOther) this.window.stopWriting();
    if (isNews || isClosed) this.reader.hear(run, isClosed);
  }

  /** Only where everything before it has been told: else it might be text of a message that is on its way. */
  private write(text: string): void {
    if (!this.reader.isUpToDate) return;
    this.window.write(text);
    this.viewers.wake();
  }

  private publish(changes: ConversationChanges, after: number, read: number): void {
    const { last } = this.window;
    const isSaid = changes.items.some(
      (entry) => entry.kind === 'message' && entry.role === 'assistant' && entry.id > last,
    );
    if (isSaid) this.window.stopWriting();
    this.dictation.doubt();
    this.window.take(changes, after, read);
    this.viewers.shed();
    this.window.trim(this.viewers.places);
    this.trouble = undefined;
    this.viewers.wake();
  }

  private finish({ conversation }: ConversationChanges): void {
    this.window.finish(conversation);
    this.viewers.wake();
    this.stop();
  }

  /** It could not be read. Those who watch stay; who has just come is shown what the memo has. */
  private bear(error: unknown): void {
    const isGone = error instanceof ApiError ? error.code === 'conversation_not_found' : isExecutionNotFound(error);
    if (isGone) return this.giveUp();
    if (!this.window.isReady && !this.beginFromMemo(0)) this.trouble = error;
    this.viewers.wake();
  }

  /** Retention, or somebody, has deleted it. */
  private giveUp(): void {
    this.viewers.dismiss();
    this.stop();
  }
}
