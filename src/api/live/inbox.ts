import type { Gateway } from '#api/gateway';
import { listWaiting, soonestFirst } from '#api/listing';
import type { Run } from '#api/run';
import type { InboxEvent } from '#contract/events';
import type { InboxEventsQuery } from '#contract/requests';
import { lengthOf, textOf } from './frames';
import { Loop } from './loop';
import { fateOf, type Waiting, waitingIn } from './news';
import type { Viewer } from './viewer';
import { Viewers } from './viewers';

/** Which part of the inbox somebody watches, and may. */
export interface InboxFilter extends InboxEventsQuery {
  isFor?: (run: Run) => boolean;
  /** Of everybody's; then what cannot be read is theirs, too. */
  isWhole?: boolean;
}

interface Place {
  filter: InboxFilter;
  /** How much of the news it has; nothing before its snapshot. */
  at: number | undefined;
}

interface News {
  run: Run;
  text: string;
}

const LONGEST_MS = 5_000;

/** Of the questions that went away, so many are looked after at once. */
const TOGETHER = 10;

/** Everything that waits for somebody, watched once for all viewers and only while there are any. */
export class Inbox {
  private waiting = new Map<string, Waiting>();
  private isTruncated = false;
  private unreadable = 0;
  private isReady = false;
  private news: News[] = [];
  private from = 0;
  private readonly viewers: Viewers<Place>;
  private readonly loop: Loop;
  private trouble: unknown;

  constructor(
    private readonly gateway: Gateway,
    private readonly everyMs: number,
    private readonly onEnd: () => void,
  ) {
    this.viewers = new Viewers<Place>(
      {
        isReadyFor: () => this.isReadyNow(),
        next: (place) => this.next(place),
        backlog: (place) => this.backlog(place),
      },
      () => this.stop(),
    );
    this.loop = new Loop(
      () => this.look(),
      (error) => this.bear(error),
    );
    void this.loop.run();
  }

  follow(viewer: Viewer, filter: InboxFilter): Promise<void> {
    return this.viewers.seat(viewer, { filter, at: undefined });
  }

  stop(): void {
    this.loop.stop();
    this.onEnd();
  }

  private isReadyNow(): boolean {
    if (!this.isReady && this.trouble) throw this.trouble;
    return this.isReady;
  }

  private next(place: Place): string | undefined {
    if (place.at === undefined) return this.snapshot(place);
    const last = this.from + this.news.length;
    while (place.at < last) {
      const news = this.news[place.at - this.from];
      place.at += 1;
      if (news && isFor(news.run, place.filter)) return news.text;
    }
    this.trim();
    return undefined;
  }

  private snapshot(place: Place): string {
    place.at = this.from + this.news.length;
    const mine = [...this.waiting.values()].filter(({ run }) => isFor(run, place.filter));
    const items = soonestFirst(mine.map(({ question }) => question));
    const { isWhole, agent, conversation } = place.filter;
    const isAll = isWhole && agent === undefined && conversation === undefined;
    const rest = {
      ...(this.isTruncated ? { truncated: true as const } : {}),
      ...(isAll && this.unreadable > 0 ? { unreadable: this.unreadable } : {}),
    };
    return textOf({ event: 'snapshot', data: { items, ...rest } });
  }

  /** Also of what it will not be shown: that is kept for it all the same. */
  private backlog({ at }: Place): number {
    return at === undefined ? 0 : lengthOf(this.news.slice(at - this.from));
  }

  /** Drop what all have been sent. */
  private trim(): void {
    let needed = this.from + this.news.length;
    for (const { at } of this.viewers.places) if (at !== undefined) needed = Math.min(needed, at);
    this.news = this.news.slice(needed - this.from);
    this.from = needed;
  }

  /** A list that takes long is a list Temporal should not be asked for often; but somebody waits for it. */
  private async look(): Promise<number> {
    const began = Date.now();
    const { runs, truncated, unreadable } = await listWaiting(this.gateway);
    const took = Date.now() - began;
    this.isTruncated = truncated;
    this.unreadable = unreadable;
    await this.compare(waitingIn(runs));
    this.viewers.shed();
    this.trim();
    this.viewers.wake();
    return Math.max(this.everyMs, Math.min(10 * took, LONGEST_MS));
  }

  private async compare(now: Map<string, Waiting>): Promise<void> {
    const gone = [...this.waiting].filter(([key]) => !now.has(key));
    for (let first = 0; first < gone.length && !this.loop.isStopped; first += TOGETHER) {
      await Promise.all(gone.slice(first, first + TOGETHER).map(([key, one]) => this.lookAfter(key, one)));
    }
    for (const [key, one] of now) {
      if (this.isReady && !this.waiting.has(key)) this.tell(one.run, { event: 'question_pending', data: one.question });
      this.waiting.set(key, one);
    }
    this.isReady = true;
  }

  /** Those who watch stay. */
  private bear(error: unknown): void {
    this.trouble = error;
    this.viewers.wake();
  }

  /** It is in the list no more: tell what became of it, now or as soon as that can be read. */
  private async lookAfter(key: string, one: Waiting): Promise<void> {
    const fate = await fateOf(this.gateway, one);
    // Pushed out of a list that shows only the first of many, it is nobody's to watch any more.
    if (typeof fate === 'object' || (fate === 'pending' && this.isTruncated)) this.waiting.delete(key);
    if (typeof fate === 'object') this.tell(one.run, { event: 'question_answered', data: fate.settled });
  }

  private tell(run: Run, event: InboxEvent): void {
    this.news.push({ run, text: textOf(event) });
  }
}

function isFor(run: Run, { agent, conversation, isFor }: InboxFilter): boolean {
  if (agent !== undefined && run.memo.conversation.agent !== agent) return false;
  if (conversation !== undefined && run.id !== conversation && run.memo.root !== conversation) return false;
  return isFor?.(run) ?? true;
}
