import type { Gateway } from '#api/gateway';
import type { LinksOf } from '#api/reading';
import type { Run } from '#api/run';
import type { ConversationChanges } from '#core/projections';
import { readChanges, withEarlier } from './changes';
import { AT_ONCE, Loop, WHEN_RUNG } from './loop';

export interface Readership {
  /** The number after which somebody has to be told; none where nobody is owed anything. */
  wanted(): number | undefined;
  onRead(changes: ConversationChanges, after: number, read: number): void;
  /** All there will ever be has been read. */
  onEnd(changes: ConversationChanges): void;
  onFailure(error: unknown): void;
}

/** Reads what is new in a conversation, one read at a time: what comes during one is for the next. */
export class Reader {
  private readonly loop: Loop;
  /** Rolled over from since the last read. */
  private earlier: Run[] = [];
  private isClosed = false;
  private isReading = false;
  /** Something has happened that was not read yet. */
  isBehind = false;
  /** How many reads were begun. */
  reads = 0;

  constructor(
    private readonly gateway: Gateway,
    private run: Run,
    private readonly linksOf: LinksOf,
    private readonly readership: Readership,
  ) {
    this.loop = new Loop(
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
  hear(run: Run, isClosed: boolean): void {
    if (run.runId !== this.run.runId) this.earlier.push(this.run);
    this.run = run;
    this.isClosed = isClosed;
    this.isBehind = true;
    this.loop.ring();
  }

  private async step(): Promise<number> {
    const after = this.readership.wanted();
    if (after === undefined) return WHEN_RUNG;
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
    const { run, isClosed } = this;
    const earlier = [...this.earlier];
    this.reads += 1;
    const read = this.reads;
    // This very run: the conversation may have been taken up again since.
    const seen = isClosed ? await this.gateway.find(run.id, run.runId) : run;
    const now = await readChanges(this.gateway, seen, after, this.linksOf);
    const changes = await withEarlier(this.gateway, earlier, now, after);
    this.earlier = this.earlier.slice(earlier.length);
    this.readership.onRead(changes, after, read);
    if (isClosed && this.readership.wanted() === undefined) this.readership.onEnd(changes);
  }
}
