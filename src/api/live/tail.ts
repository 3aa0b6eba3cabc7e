import type { Changes } from '../../core/view';
import { Refusal } from '../errors';
import type { Gateway } from '../gateway';
import { fromMemo, type LinksOf } from '../reading';
import type { Run } from '../run';
import { isNotFound } from '../temporal-trouble';
import { Audience } from './audience';
import { readChanges, withEarlier } from './changes';
import { Dictation } from './dictation';
import { Follower } from './follower';
import type { Seen } from './history';
import { AT_ONCE, Loop, WHEN_RUNG } from './loop';
import type { Viewer } from './viewer';
import { type Place, placeAt, Window } from './window';

/**
 * One running conversation, watched once for all its viewers and only while it has any: its history says when to look,
 * one query reads what is new, and each viewer takes it from the window at its own speed.
 */
export class Tail {
  private readonly window = new Window();
  private readonly audience: Audience<Place>;
  private readonly follower: Follower;
  private readonly dictation: Dictation;
  private readonly reading: Loop;
  private reads = 0;
  private isBehind = false;
  private isReading = false;
  private isClosed = false;
  /** Rolled over from since the last read. */
  private earlier: Run[] = [];
  private trouble: unknown;

  constructor(
    private readonly gateway: Gateway,
    private run: Run,
    private readonly linksOf: LinksOf,
    textEveryMs: number,
    private readonly onEnd: () => void,
  ) {
    this.audience = new Audience<Place>(
      { isReadyFor: (place) => this.isReadyFor(place), next: (place) => this.next(place) },
      () => this.stop(),
    );
    this.follower = new Follower(gateway, run, {
      onRead: (now, seen) => this.hear(now, seen),
      onGone: () => this.giveUp(),
    });
    this.dictation = new Dictation(gateway, textEveryMs, (text) => this.write(text));
    this.reading = new Loop(
      () => this.readWhatIsWanted(),
      (error) => this.bear(error),
    );
  }

  /** Show it from there on; from a snapshot on where that is nowhere. */
  follow(viewer: Viewer, at: number | undefined): Promise<void> {
    const isFirst = this.reads === 0;
    const shown = this.audience.seat(viewer, placeAt(at, this.reads));
    if (isFirst) this.start();
    this.reading.ring();
    return shown;
  }

  /** No more looking. Who comes next gets a tail of their own. */
  stop(): void {
    for (const part of [this.reading, this.follower, this.dictation]) part.stop();
    this.onEnd();
  }

  private start(): void {
    this.reads = 1;
    // A parked run has written down how it stands: no worker need be woken to show it.
    if (this.run.memo.question) this.beginFromMemo(this.reads);
    this.follower.start();
    this.dictation.start();
    void this.reading.run();
  }

  private beginFromMemo(read: number): boolean {
    const { id, memo } = this.run;
    if (memo.lastEntry === undefined) return false;
    this.window.begin({ ...fromMemo(this.run), links: this.linksOf(id) }, memo.lastEntry, read);
    return true;
  }

  private isReadyFor({ at }: Place): boolean {
    if (at !== undefined || this.window.isReady) return true;
    if (this.trouble) throw this.trouble;
    return false;
  }

  private next(place: Place) {
    const text = this.window.next(place);
    if (text === undefined) this.window.trim(this.audience.places);
    return text;
  }

  private hear(run: Run, { isNews, ending, thinking }: Seen): void {
    if (run.runId !== this.run.runId) this.earlier.push(this.run);
    this.run = run;
    this.isClosed = ending === 'closed';
    const isThinking = thinking && !this.isClosed;
    if (this.dictation.listen(isThinking ? { run, id: thinking.id } : undefined)) this.window.stopWriting();
    if (!isNews && !this.isClosed) return;
    this.isBehind = true;
    this.reading.ring();
  }

  /** Only where everything before it has been told: else it might be text of a message that is on its way. */
  private write(text: string): void {
    if (this.isBehind || this.isReading) return;
    this.window.write(text);
    this.audience.wake();
  }

  /** The number after which somebody needs to know; none while everybody has what there is. */
  private wanted(): number | undefined {
    const missing = [...this.audience.places].flatMap((place) => this.window.missing(place) ?? []);
    if (this.isBehind && this.window.isReady) missing.push(this.window.last);
    return missing.length > 0 ? Math.min(...missing) : undefined;
  }

  private async readWhatIsWanted(): Promise<number> {
    const after = this.wanted();
    if (after === undefined) return WHEN_RUNG;
    // What is heard from now on is for the next read.
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
    return AT_ONCE;
  }

  private async read(after: number): Promise<void> {
    const number = ++this.reads;
    const { run, isClosed } = this;
    const earlier = [...this.earlier];
    const seen = isClosed ? await this.gateway.find(run.id, run.runId) : run;
    const now = await readChanges(this.gateway, seen, after, this.linksOf);
    const changes = await withEarlier(this.gateway, earlier, now, after);
    this.earlier = this.earlier.slice(earlier.length);
    this.publish(changes, after, number);
    if (isClosed && this.wanted() === undefined) this.finish(changes);
  }

  private publish(changes: Changes, after: number, read: number): void {
    const { last } = this.window;
    const isSaid = changes.items.some(
      (entry) => entry.kind === 'message' && entry.role === 'assistant' && entry.id > last,
    );
    if (isSaid) this.window.stopWriting();
    this.dictation.doubt();
    this.window.take(changes, after, read);
    this.trouble = undefined;
    this.audience.wake();
  }

  private finish({ conversation }: Changes): void {
    this.window.finish(conversation);
    this.audience.wake();
    this.stop();
  }

  /** It could not be read. Those who watch stay; who has just come is shown what the memo has. */
  private bear(error: unknown): void {
    const isGone = error instanceof Refusal ? error.code === 'conversation_not_found' : isNotFound(error);
    if (isGone) return this.giveUp();
    if (!this.window.isReady && !this.beginFromMemo(0)) this.trouble = error;
    this.audience.wake();
  }

  /** Retention, or somebody, has deleted it. */
  private giveUp(): void {
    this.audience.dismiss();
    this.stop();
  }
}
