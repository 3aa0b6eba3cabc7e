import type { Gateway } from '../gateway';
import type { Run } from '../run';
import { Bell } from './bell';

/** A call of the model that is under way in a run. */
export interface Thinking {
  run: Run;
  id: string;
}

/** Text as it is written: looked at only while the model is called, in the heartbeats of that very call. */
export class Dictation {
  private readonly bell = new Bell();
  private of: Thinking | undefined;
  private turn = 0;
  private isLooking = false;

  constructor(
    private readonly gateway: Gateway,
    private readonly everyMs: number,
    private readonly onText: (text: string) => void,
  ) {}

  /** This call is under way now, or none is. False if that was known. */
  listen(of: Thinking | undefined): boolean {
    if (of?.id === this.of?.id && of?.run.runId === this.of?.run.runId) return false;
    this.of = of;
    this.doubt();
    this.bell.ring();
    if (of && !this.isLooking) void this.look();
    return true;
  }

  /** The conversation has moved on: what a look under way will bring may be over already. */
  doubt(): void {
    this.turn += 1;
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    for (let of = this.of; of; of = this.of) {
      const { turn } = this;
      const text = await this.textOf(of);
      if (text !== undefined && this.turn === turn) this.onText(text);
      await this.bell.wait(this.everyMs);
    }
    this.isLooking = false;
  }

  /** Nothing where it cannot be told just now: the next look may tell. */
  private async textOf({ run, id }: Thinking): Promise<string | undefined> {
    const works = await this.gateway.underWay(run).catch(() => []);
    const work = works.find((candidate) => candidate.id === id);
    const told = work?.told as { text?: unknown } | null | undefined;
    return work && (typeof told?.text === 'string' ? told.text : '');
  }
}
