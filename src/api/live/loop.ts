import { Bell } from './bell';

/** Takes a step, and says how long to rest before the next. */
export type Step = () => Promise<number>;

export const AT_ONCE = 0;
/** No next step until it is rung for. */
export const WHEN_RUNG = Number.POSITIVE_INFINITY;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** Goes on, one step at a time, until it is stopped. A step that fails is taken again, later each time, or when rung for. */
export class Loop {
  private readonly bell = new Bell();
  isStopped = false;

  constructor(
    private readonly step: Step,
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {}

  ring(): void {
    this.bell.ring();
  }

  stop(): void {
    this.isStopped = true;
    this.bell.ring();
  }

  async run(): Promise<void> {
    for (let failures = 0; !this.isStopped; ) {
      let rest: number;
      try {
        rest = await this.step();
        failures = 0;
      } catch (error) {
        if (this.isStopped) return;
        this.onFailure(error);
        rest = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
        failures += 1;
      }
      if (!this.isStopped && rest > AT_ONCE) await this.bell.wait(rest);
    }
  }
}
