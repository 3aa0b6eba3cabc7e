import type { Conversation } from '#contract/conversation';
import type { ConversationChanges } from '#core/projections';
import { NO_EARLIER_ENTRIES } from './change-reader';
import { encodeSseEvent, frameLength, type SseFrame, toSseFrames } from './sse-encoding';

/** Where a viewer stands. */
export interface StreamCursor {
  /** The last number it has; none before its first snapshot. */
  at: number | undefined;
  /** How many reads had begun when it came: only a later one can tell that it has a number nobody gave out. */
  since: number;
  /** Which of the texts being written it has. */
  delta: number;
  /** It was told that nothing more will come. */
  isDone: boolean;
}

export function cursorAt(at: number | undefined, since: number): StreamCursor {
  return { at, since, delta: 0, isDone: false };
}

/** What `next` says where the stream is over. */
export const END_FRAME = Symbol('end');

/**
 * The stretch of a conversation that its viewers are being sent: all numbers above `from`, without a gap, and what it
 * has come to. Every viewer finds its next event here by where it stands, so none needs a queue of its own.
 */
export class EventBuffer {
  private frames: SseFrame[] = [];
  private from = 0;
  /** Some number up to this one is kept nowhere any more. */
  private lost = 0;
  private shown: { conversation: Conversation; text?: string } | undefined;
  private reads = 0;
  private writing: { text: string; event: string; version: number } | undefined;
  private versions = 0;
  private done: string | undefined;

  get last(): number {
    return this.from + this.frames.length;
  }

  /** Is there anything yet to show? */
  get isReady(): boolean {
    return this.shown !== undefined;
  }

  /** Begin at what the memo tells, with nothing before it. Where it may be behind, it settles nothing: `read` is 0. */
  begin(conversation: Conversation, last: number, read: number): void {
    this.shown = { conversation };
    this.from = last;
    this.reads = read;
  }

  /** Take in what was read after that number, by the read with this one. */
  take(changes: ConversationChanges, after: number, read: number): void {
    this.reads = read;
    if (this.isReady && changes.last < this.last) return;
    const low = this.isReady ? Math.min(after, this.from) : Math.min(after, changes.last);
    const known = new Map([...this.frames, ...toSseFrames(changes.items)].map((frame) => [frame.number, frame]));
    const frames: SseFrame[] = [];
    for (let number = changes.last; number > low; number -= 1) {
      const frame = known.get(number);
      if (!frame) break;
      frames.push(frame);
    }
    this.frames = frames.reverse();
    this.from = changes.last - frames.length;
    if (this.from > low) this.lost = this.from;
    this.shown = { conversation: changes.conversation };
  }

  /** Nothing more will come. */
  finish(conversation: Conversation): void {
    this.writing = undefined;
    this.done = encodeSseEvent({ event: 'done', data: conversation });
  }

  /** Text is being written, all of it so far; none at all where a new attempt has not begun to speak. */
  write(text: string): void {
    if (text === (this.writing?.text ?? '')) return;
    const event = encodeSseEvent({ event: 'delta', data: { text } });
    this.writing = { text, event, version: ++this.versions };
  }

  /** What was being written has become an entry, or nothing. */
  stopWriting(): void {
    this.writing = undefined;
  }

  /** Drop what all of them have. */
  trim(places: Iterable<StreamCursor>): void {
    if (this.frames.length === 0) return;
    let needed = this.last;
    for (const { at } of places) if (at !== undefined && at >= this.from) needed = Math.min(needed, at);
    this.frames = this.frames.slice(needed - this.from);
    this.from = needed;
  }

  /** How much is kept for a viewer that stands there. */
  backlog({ at }: StreamCursor): number {
    return at === undefined || at < this.from ? 0 : frameLength(this.frames.slice(at - this.from));
  }

  /** Does this viewer need something that is not here? Then everything after this number should be read. */
  missing({ at, since }: StreamCursor): number | undefined {
    if (!this.isReady) return at ?? NO_EARLIER_ENTRIES;
    if (at === undefined || at < this.lost) return undefined;
    if (at > this.last) return this.reads > since ? undefined : this.last;
    return at < this.from ? at : undefined;
  }

  /** What a viewer that stands there is sent next, and it moves on; nothing if it has everything there is. */
  next(place: StreamCursor): string | typeof END_FRAME | undefined {
    if (!this.shown) return undefined;
    if (this.isOff(place)) return this.snapshot(place);
    while (place.at !== undefined && place.at >= this.from && place.at < this.last) {
      const frame = this.frames[place.at - this.from];
      place.at += 1;
      if (frame?.text) return frame.text;
    }
    if (place.at !== this.last) return undefined;
    return this.done === undefined ? this.delta(place) : this.ending(place, this.done);
  }

  private delta(place: StreamCursor): string | undefined {
    if (!this.writing || this.writing.version <= place.delta) return undefined;
    place.delta = this.writing.version;
    return this.writing.event;
  }

  private ending(place: StreamCursor, done: string): string | typeof END_FRAME {
    if (place.isDone) return END_FRAME;
    place.isDone = true;
    return done;
  }

  /** Nothing leads on from where it stands. */
  private isOff({ at, since }: StreamCursor): boolean {
    if (at === undefined || at < this.lost) return true;
    return at > this.last && this.reads > since;
  }

  private snapshot(place: StreamCursor): string | undefined {
    if (!this.shown) return undefined;
    place.at = this.last;
    this.shown.text ??= encodeSseEvent({ event: 'snapshot', id: this.last, data: this.shown.conversation });
    return this.shown.text;
  }
}
