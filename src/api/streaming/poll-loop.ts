/** Performs one step and returns the delay in ms before the next. */
export type PollStep = () => Promise<number>;

export const IMMEDIATELY = 0;
/** No next step until the loop is woken. */
export const UNTIL_WOKEN = Number.POSITIVE_INFINITY;

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/** Runs one step at a time until it is stopped. A failed step is retried with back-off, or when the loop is woken. */
export class PollLoop {
  private readonly wakeSignal = new WakeSignal();
  isStopped = false;

  constructor(
    private readonly step: PollStep,
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {}

  wake(): void {
    this.wakeSignal.notify();
  }

  stop(): void {
    this.isStopped = true;
    this.wakeSignal.notify();
  }

  async run(): Promise<void> {
    for (let failures = 0; !this.isStopped; ) {
      let delayMs: number;
      try {
        delayMs = await this.step();
        failures = 0;
      } catch (error) {
        if (this.isStopped) return;
        this.onFailure(error);
        delayMs = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);
        failures += 1;
      }
      if (!this.isStopped && delayMs > IMMEDIATELY) await this.wakeSignal.wait(delayMs);
    }
  }
}

/** Wakes a waiting loop. A notification without a waiter ends the next wait at once. */
export class WakeSignal {
  private isNotified = false;
  private resolveWait: (() => void) | undefined;

  notify(): void {
    this.isNotified = true;
    this.resolveWait?.();
  }

  /** Waits until it is notified, or for `ms` at most. */
  async wait(ms = Number.POSITIVE_INFINITY): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.isNotified) {
      await new Promise<void>((resolve) => {
        this.resolveWait = resolve;
        if (Number.isFinite(ms)) timer = setTimeout(resolve, ms);
      });
    }
    clearTimeout(timer);
    this.resolveWait = undefined;
    this.isNotified = false;
  }
}
