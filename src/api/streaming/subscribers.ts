import type { NextFrames, SseConnection } from './sse-connection';

/** What viewers are shown. */
export interface StreamSource<Place> {
  /** Can this viewer's stream begin? Throws where it had better be refused. */
  isReadyFor(place: Place): boolean;
  next(place: Place): ReturnType<NextFrames>;
  /** How much is kept for who stands there. */
  backlog(place: Place): number;
}

/** Those who watch the same thing, each at a place of its own. */
export class Subscribers<Place> {
  private readonly members = new Map<SseConnection, Place>();

  constructor(
    private readonly show: StreamSource<Place>,
    private readonly onEmpty: () => void,
  ) {}

  /** Of those who will be sent more. */
  get places(): Place[] {
    return [...this.members].flatMap(([viewer, place]) => (viewer.isHere ? [place] : []));
  }

  wake(): void {
    for (const viewer of this.members.keys()) viewer.wake();
  }

  /** Hang up on who reads too slowly for what has come: its place is found again when it comes back. */
  shed(): void {
    for (const [viewer, place] of this.members)
      if (viewer.isSlow && this.show.backlog(place) > viewer.pace.backlog) void viewer.leave();
  }

  dismiss(): void {
    for (const viewer of this.members.keys()) void viewer.leave();
  }

  /** Until this viewer has seen it all, or has gone. */
  async seat(viewer: SseConnection, place: Place): Promise<void> {
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
