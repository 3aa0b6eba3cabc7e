import type { NextFrames, SseConnection } from './sse-connection';

/** The source of a stream's frames. */
export interface StreamSource<Cursor> {
  /** Whether the stream can start at this cursor. Throws if it should be rejected. */
  isReadyFor(cursor: Cursor): boolean;
  next(cursor: Cursor): ReturnType<NextFrames>;
  /** Returns how many characters are buffered for this cursor. */
  backlog(cursor: Cursor): number;
}

/** The connections to one stream, each with its own cursor. */
export class Subscribers<Cursor> {
  private readonly connections = new Map<SseConnection, Cursor>();

  constructor(
    private readonly source: StreamSource<Cursor>,
    private readonly onEmpty: () => void,
  ) {}

  /** The cursors of open connections. */
  get cursors(): Cursor[] {
    return [...this.connections].flatMap(([connection, cursor]) => (connection.isOpen ? [cursor] : []));
  }

  wake(): void {
    for (const connection of this.connections.keys()) connection.wake();
  }

  /** Disconnects clients that read too slowly. They resume where they were when they reconnect. */
  dropSlow(): void {
    for (const [connection, cursor] of this.connections)
      if (connection.isSlow && this.source.backlog(cursor) > connection.limits.maxBacklog) void connection.close();
  }

  closeAll(): void {
    for (const connection of this.connections.keys()) void connection.close();
  }

  /** Resolves when the stream has ended or the client is gone. */
  async subscribe(connection: SseConnection, cursor: Cursor): Promise<void> {
    this.connections.set(connection, cursor);
    try {
      while (connection.isOpen && !this.source.isReadyFor(cursor)) await connection.wait();
      await connection.stream(() => this.source.next(cursor));
    } finally {
      this.connections.delete(connection);
      if (this.connections.size === 0) this.onEmpty();
    }
  }
}
