/** What several send and one reads, in the order it came. */
export class Mailbox<Item> {
  private readonly items: Item[] = [];
  private wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  push(item: Item): void {
    this.items.push(item);
    this.wake?.();
  }

  async next(): Promise<Item> {
    while (this.isEmpty)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    return this.items.shift() as Item;
  }
}
