/** Wakes the one who waits. Rung while nobody waits, it ends the next wait at once. */
export class Bell {
  private isRung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.isRung = true;
    this.wake?.();
  }

  /** Until it is rung, or that long at most. */
  async wait(ms?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.isRung) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (ms !== undefined) timer = setTimeout(resolve, ms);
      });
    }
    clearTimeout(timer);
    this.wake = undefined;
    this.isRung = false;
  }
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** How long to wait before the next try, while each fails. */
export function backOff(failures: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
}
