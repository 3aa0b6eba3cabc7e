/** Takes a step, and says how long to rest before the next. */
export type PollStep = () => Promise<number>;

export const IMMEDIATELY = 0;
/** No next step until it is rung for. */
export const UNTIL_WOKEN = Number.POSITIVE_INFINITY;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** Goes on, one step at a time, until it is stopped. A step that fails is taken again, later each time, or when rung for. */
export class PollLoop {
  private readonly bell = new WakeSignal();
  isStopped = false;

  constructor(
    private readonly step: PollStep,
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
      if (!this.isStopped && rest > IMMEDIATELY) await this.bell.wait(rest);
    }
  }
}

/** Wakes the one who waits. Rung while nobody waits, it ends the next wait at once. */
export class WakeSignal {
  private isRung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.isRung = true;
    this.wake?.();
  }

  /** Until it is rung, or that long at most. */
  async wait(ms = Number.POSITIVE_INFINITY): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.isRung) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (Number.isFinite(ms)) timer = setTimeout(resolve, ms);
      });
    }
    clearTimeout(timer);
    this.wake = undefined;
    this.isRung = false;
  }
}
