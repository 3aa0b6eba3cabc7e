/** Wakes the one who waits. Rung while nobody waits, it ends the next wait at once. */
export class Bell {
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
