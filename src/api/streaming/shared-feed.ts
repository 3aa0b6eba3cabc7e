import type { NextFrames, SseConnection } from './sse-connection';

/** A stream that many connections share, each with its own cursor. It stops when the last one is gone. */
export abstract class SharedFeed<Cursor> {
  private readonly connections = new Map<SseConnection, Cursor>();

  /** Whether the stream can start at this cursor. Throws if it cannot start at all. */
  protected abstract isReadyFor(cursor: Cursor): boolean;
  protected abstract next(cursor: Cursor): ReturnType<NextFrames>;
  /** Returns how many characters are buffered for this cursor. */
  protected abstract backlog(cursor: Cursor): number;
  abstract stop(): void;

  protected get cursors(): Cursor[] {
    return [...this.connections].flatMap(([connection, cursor]) => (connection.isOpen ? [cursor] : []));
  }

  protected wakeAll(): void {
    for (const connection of this.connections.keys()) connection.wake();
  }

  /** Disconnects clients that read too slowly. They resume where they were when they reconnect. */
  protected dropSlow(): void {
    for (const [connection, cursor] of this.connections)
      if (connection.isSlow && this.backlog(cursor) > connection.limits.maxBacklog) void connection.close();
  }

  protected closeAll(): void {
    for (const connection of this.connections.keys()) void connection.close();
  }

  /** Resolves when the stream has ended or the client is gone. */
  protected async streamTo(connection: SseConnection, cursor: Cursor): Promise<void> {
    this.connections.set(connection, cursor);
    try {
      while (connection.isOpen && !this.isReadyFor(cursor)) await connection.wait();
      await connection.stream(() => this.next(cursor));
    } finally {
      this.connections.delete(connection);
      if (this.connections.size === 0) this.stop();
    }
  }
}
