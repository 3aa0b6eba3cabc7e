import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { PollLoop, UNTIL_WOKEN } from './poll-loop';

/** A call of the model that is under way in a run. */
export interface ModelCallInProgress {
  run: Execution;
  id: string;
}

/** Text as it is written: looked at only while the model is called, in the heartbeats of that very call. */
export class PartialTextPoller {
  private readonly loop: PollLoop;
  private of: ModelCallInProgress | undefined;
  private turn = 0;

  constructor(
    private readonly gateway: TemporalGateway,
    private readonly everyMs: number,
    private readonly onText: (text: string) => void,
  ) {
    this.loop = new PollLoop(() => this.look());
  }

  start(): void {
    void this.loop.run();
  }

  stop(): void {
    this.loop.stop();
  }

  /** This call is under way now, or none is. False if that was known. */
  listen(of: ModelCallInProgress | undefined): boolean {
    if (of?.id === this.of?.id && of?.run.runId === this.of?.run.runId) return false;
    this.of = of;
    this.doubt();
    this.loop.ring();
    return true;
  }

  /** The conversation has moved on: what a look under way will bring may be over already. */
  doubt(): void {
    this.turn += 1;
  }

  private async look(): Promise<number> {
    const { of, turn } = this;
    if (!of) return UNTIL_WOKEN;
    const works = await this.gateway.underWay(of.run);
    const work = works.find(({ id }) => id === of.id);
    const told = work?.told as { text?: unknown } | null | undefined;
    if (work && this.turn === turn) this.onText(typeof told?.text === 'string' ? told.text : '');
    return this.everyMs;
  }
}
