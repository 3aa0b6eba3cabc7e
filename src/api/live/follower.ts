import type { Gateway } from '#api/gateway';
import type { Run } from '#api/run';
import { isNotFound, isTemporalDown } from '#api/temporal-trouble';
import { NOTHING_SEEN, readOn, type Seen } from './history';
import { AT_ONCE, Loop } from './loop';

export interface Following {
  /** More of the history was read: which run it has come to, and how that stands. */
  onRead(run: Run, seen: Seen): void;
  /** There is no such run any more. */
  onGone(): void;
}

/**
 * Follows the history of a conversation as it grows, over roll-overs, until it closes: one long poll at a time. Temporal
 * may be down for as long as it likes.
 */
export class Follower {
  private readonly loop: Loop;
  private poll: AbortController | undefined;
  private token: Uint8Array | undefined;
  private seen = NOTHING_SEEN;
  private known: number;

  constructor(
    private readonly gateway: Gateway,
    private run: Run,
    private readonly following: Following,
  ) {
    this.known = run.historyLength;
    this.loop = new Loop(
      () => this.readMore(),
      (error) => this.bear(error),
    );
  }

  start(): void {
    void this.loop.run();
  }

  stop(): void {
    this.loop.stop();
    this.poll?.abort();
  }

  private async readMore(): Promise<number> {
    // One for each poll: the SDK never takes its ear off a signal.
    this.poll = new AbortController();
    const { events, token } = await this.gateway.awaitHistory(this.run, this.token, this.poll.signal);
    if (this.loop.isStopped) return AT_ONCE;
    this.seen = readOn(this.seen, events, this.known);
    this.token = token;
    const { ending } = this.seen;
    if (ending === 'closed') this.loop.stop();
    else if (ending) this.rollOver(ending.rolledOverTo);
    else if (!token?.length) throw new Error('The history of a running workflow has no end.');
    this.following.onRead(this.run, this.seen);
    return AT_ONCE;
  }

  private rollOver(runId: string): void {
    this.run = { ...this.run, runId };
    this.token = undefined;
    this.known = 0;
    this.seen = { ...NOTHING_SEEN, isNews: true };
  }

  private bear(error: unknown): void {
    if (isNotFound(error)) return this.following.onGone();
    if (isTemporalDown(error)) return;
    // The place is no good: from the first event again, without making news of what was seen.
    this.known = Math.max(this.known, this.seen.events);
    this.token = undefined;
    this.seen = NOTHING_SEEN;
  }
}
