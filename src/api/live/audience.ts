import type { Next, Viewer } from './viewer';

/** What an audience is shown. */
export interface Show<Place> {
  /** Can this viewer's stream begin? Throws where it had better be refused. */
  isReadyFor(place: Place): boolean;
  next(place: Place): ReturnType<Next>;
}

/** Those who watch the same thing, each at a place of its own. */
export class Audience<Place> {
  private readonly members = new Map<Viewer, Place>();

  constructor(
    private readonly show: Show<Place>,
    private readonly onEmpty: () => void,
  ) {}

  get places(): Iterable<Place> {
    return this.members.values();
  }

  wake(): void {
    for (const viewer of this.members.keys()) viewer.wake();
  }

  dismiss(): void {
    for (const viewer of this.members.keys()) void viewer.leave();
  }

  /** Until this viewer has seen it all, or has gone. */
  async seat(viewer: Viewer, place: Place): Promise<void> {
    this.members.set(viewer, place);
    try {
      while (viewer.isHere && !this.show.isReadyFor(place)) await viewer.wait();
      await viewer.show(() => this.show.next(place));
    } finally {
      this.members.delete(viewer);
      if (this.members.size === 0) this.onEmpty();
    }
  }
}
