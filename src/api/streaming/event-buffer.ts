import type { Conversation } from '#contract/conversation';
import type { PartialMessage } from '#contract/events';
import type { ConversationChanges } from '#core/projections';
import { NO_EARLIER_ENTRIES } from './read-changes';
import { encodeSseEvent, frameLength, type SseFrame, toSseFrames } from './sse-encoding';

/** The position of one connection in the event stream. */
export interface StreamCursor {
  /** The last number that it was sent; `undefined` before its first snapshot. */
  position: number | undefined;
  /** How many reads had started when it connected. Only a later read can show that its position was never assigned. */
  readsAtStart: number;
  /** The version of the partial text that it was sent last. */
  textVersion: number;
  isDoneSent: boolean;
}

export function cursorAt(position: number | undefined, readsAtStart: number): StreamCursor {
  return { position, readsAtStart, textVersion: 0, isDoneSent: false };
}

const NO_PARTIAL_TEXT = encodeSseEvent({ event: 'delta', data: { text: '' } });

/** Returned by `next` when the stream has ended. */
export const END_FRAME = Symbol('end');

/**
 * The recent events of a conversation: all numbers above `startAfter`, without a gap, and the current state. Each
 * viewer finds its next event by its position, so none needs its own queue.
 */
export class EventBuffer {
  private frames: SseFrame[] = [];
  private startAfter = 0;
  /** At least one event up to this number can no longer be read. */
  private lostUpTo = 0;
  private current: { conversation: Conversation; text?: string } | undefined;
  private reads = 0;
  private partialText: { event: string; version: number; isOnlyState: boolean } | undefined;
  private textVersions = 0;
  private doneFrame: string | undefined;

  get last(): number {
    return this.startAfter + this.frames.length;
  }

  get isReady(): boolean {
    return this.current !== undefined;
  }

  /** Starts with the state in the memo. `readNumber` is 0 if it may be stale: it cannot disprove a position. */
  startAt(conversation: Conversation, last: number, readNumber: number): void {
    this.current = { conversation };
    this.startAfter = last;
    this.reads = readNumber;
  }

  /** Applies the changes after `after`, as read number `readNumber` returned them. */
  applyChanges(changes: ConversationChanges, after: number, readNumber: number): void {
    this.reads = readNumber;
    if (this.isReady && changes.lastEntryId < this.last) return;
    const lowest = this.isReady ? Math.min(after, this.startAfter) : Math.min(after, changes.lastEntryId);
    const known = new Map([...this.frames, ...toSseFrames(changes.items)].map((frame) => [frame.number, frame]));
    const frames: SseFrame[] = [];
    for (let number = changes.lastEntryId; number > lowest; number -= 1) {
      const frame = known.get(number);
      if (!frame) break;
      frames.push(frame);
    }
    this.frames = frames.reverse();
    this.startAfter = changes.lastEntryId - frames.length;
    if (this.startAfter > lowest) this.lostUpTo = this.startAfter;
    this.current = { conversation: changes.conversation };
  }

  /** Ends the stream: no more events follow. */
  finish(conversation: Conversation): void {
    this.partialText = undefined;
    this.doneFrame = encodeSseEvent({ event: 'done', data: conversation });
  }

  /** Sets the message being written, in full. Its text is empty while a new attempt has not produced any. */
  setPartialText(data: PartialMessage): void {
    const event = encodeSseEvent({ event: 'delta', data });
    if (event === (this.partialText?.event ?? NO_PARTIAL_TEXT)) return;
    this.partialText = { event, version: ++this.textVersions, isOnlyState: data.text === '' };
  }

  /** Clears the partial text once it is an entry or was dropped. Without text, no entry may say that the model no longer thinks. */
  clearPartialText(): void {
    if (this.partialText?.isOnlyState) this.setPartialText({ text: '' });
    else this.partialText = undefined;
  }

  /** Drops the events that every connection has. */
  trim(cursors: Iterable<StreamCursor>): void {
    if (this.frames.length === 0) return;
    let lowestNeeded = this.last;
    for (const { position } of cursors)
      if (position !== undefined && position >= this.startAfter) lowestNeeded = Math.min(lowestNeeded, position);
    this.frames = this.frames.slice(lowestNeeded - this.startAfter);
    this.startAfter = lowestNeeded;
  }

  /** Returns how many characters are buffered for a connection at this cursor. */
  backlog({ position }: StreamCursor): number {
    return position === undefined || position < this.startAfter
      ? 0
      : frameLength(this.frames.slice(position - this.startAfter));
  }

  /** Returns the number after which this cursor needs changes; `undefined` if the buffer has all of them. */
  missingAfter({ position, readsAtStart }: StreamCursor): number | undefined {
    if (!this.isReady) return position ?? NO_EARLIER_ENTRIES;
    if (position === undefined || position < this.lostUpTo) return undefined;
    if (position > this.last) return this.reads > readsAtStart ? undefined : this.last;
    return position < this.startAfter ? position : undefined;
  }

  /** Returns the next frame for this cursor and advances it; `undefined` if it has everything. */
  next(cursor: StreamCursor): string | typeof END_FRAME | undefined {
    if (!this.current) return undefined;
    if (this.needsSnapshot(cursor)) return this.snapshot(cursor);
    while (cursor.position !== undefined && cursor.position >= this.startAfter && cursor.position < this.last) {
      const frame = this.frames[cursor.position - this.startAfter];
      cursor.position += 1;
      if (frame?.text) return frame.text;
    }
    if (cursor.position !== this.last) return undefined;
    return this.doneFrame === undefined ? this.nextPartialText(cursor) : this.nextDone(cursor, this.doneFrame);
  }

  private nextPartialText(cursor: StreamCursor): string | undefined {
    if (!this.partialText || this.partialText.version <= cursor.textVersion) return undefined;
    cursor.textVersion = this.partialText.version;
    return this.partialText.event;
  }

  private nextDone(cursor: StreamCursor, doneFrame: string): string | typeof END_FRAME {
    if (cursor.isDoneSent) return END_FRAME;
    cursor.isDoneSent = true;
    return doneFrame;
  }

  /** Whether the events that follow its position are not available. */
  private needsSnapshot({ position, readsAtStart }: StreamCursor): boolean {
    if (position === undefined || position < this.lostUpTo) return true;
    return position > this.last && this.reads > readsAtStart;
  }

  private snapshot(cursor: StreamCursor): string | undefined {
    if (!this.current) return undefined;
    cursor.position = this.last;
    this.current.text ??= encodeSseEvent({ event: 'snapshot', id: this.last, data: this.current.conversation });
    return this.current.text;
  }
}
