import type { Gateway } from '../gateway';
import type { Run } from '../run';
import { isNotFound, isTemporalDown } from '../temporal-trouble';
import { Bell, backOff } from './bell';
import { NOTHING_SEEN, readOn, type Seen } from './history';

export interface Following {
  /** More of the history was read: which run it has come to, and how that stands. */
  onRead(run: Run, seen: Seen): void;
  /** There is no such run any more. */
  onGone(): void;
}

/** Follows the history of a conversation as it grows, over roll-overs, until it closes: one long poll at a time. */
export class Follower {
  private readonly bell = new Bell();
  private poll: AbortController | undefined;
  private token: Uint8Array | undefined;
  private seen = NOTHING_SEEN;
  private known: number;
  private isStopped = false;

  constructor(
    private readonly gateway: Gateway,
    private run: Run,
    private readonly following: Following,
  ) {
    this.known = run.historyLength;
  }

  /** Temporal may be down for as long as it likes: those who watch stay connected. */
  async follow(): Promise<void> {
    for (let failures = 0; !this.isStopped; ) {
      try {
        await this.readMore();
        failures = 0;
      } catch (error) {
        if (this.isStopped) return;
        if (isNotFound(error)) return this.following.onGone();
        if (!isTemporalDown(error)) this.readAgain();
        failures += 1;
        await this.bell.wait(backOff(failures));
      }
    }
  }

  stop(): void {
    this.isStopped = true;
    this.poll?.abort();
    this.bell.ring();
  }

  private async readMore(): Promise<void> {
    // One for each poll: the SDK never takes its ear off a signal.
    this.poll = new AbortController();
    const { events, token } = await this.gateway.awaitHistory(this.run, this.token, this.poll.signal);
    if (this.isStopped) return;
    this.seen = readOn(this.seen, events, this.known);
    this.token = token;
    const { ending } = this.seen;
    if (ending === 'closed') this.isStopped = true;
    else if (ending) this.rollOver(ending.rolledOverTo);
    this.following.onRead(this.run, this.seen);
    if (!ending && !token?.length) this.readAgain();
  }

  private rollOver(runId: string): void {
    this.run = { ...this.run, runId };
    this.token = undefined;
    this.known = 0;
    this.seen = { ...NOTHING_SEEN, isNews: true };
  }

  /** From the first event, without making news of what was seen. */
  private readAgain(): void {
    this.known = Math.max(this.known, this.seen.events);
    this.token = undefined;
    this.seen = NOTHING_SEEN;
  }
}
