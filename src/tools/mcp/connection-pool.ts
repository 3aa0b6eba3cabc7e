import { type McpConnection, type McpLimits, openMcpConnection } from './connection';
import { McpUnreachableError } from './errors';
import type { McpEndpoint } from './transports';

interface PooledConnection {
  users: number;
  connection?: McpConnection;
  connecting?: Promise<McpConnection>;
  failure?: { reason: string; until: number };
  idleTimer?: NodeJS.Timeout;
}

export type McpConnectionPool = ReturnType<typeof createMcpConnectionPool>;

/** The connections of a worker: opened on demand, shared, reopened when broken, closed when idle. */
export function createMcpConnectionPool(limits: McpLimits) {
  const pool = new Map<string, PooledConnection>();
  /** All connections that are open, opening or closing. */
  const connections = new Set<{ close(): Promise<void> }>();
  let isClosed = false;

  return {
    async use<T>(endpoint: McpEndpoint, work: (connection: McpConnection) => Promise<T>): Promise<T> {
      if (isClosed) throw new McpUnreachableError('the worker is shutting down');
      const entry = pool.get(endpoint.key) ?? { users: 0 };
      pool.set(endpoint.key, entry);
      clearTimeout(entry.idleTimer);
      entry.users += 1;
      try {
        return await work(await connectShared(entry, () => openMcpConnection(endpoint, limits, connections)));
      } catch (error) {
        if (error instanceof McpUnreachableError)
          entry.failure = { reason: error.message, until: Date.now() + limits.retryDelayMs };
        throw error;
      } finally {
        entry.users -= 1;
        if (entry.users === 0)
          entry.idleTimer = setTimeout(() => {
            pool.delete(endpoint.key);
            void entry.connection?.close();
          }, limits.idleMs).unref();
      }
    },

    /** Returns why the endpoint could not be reached, if that was recent. */
    recentFailure(endpoint: McpEndpoint): string | undefined {
      const { failure } = pool.get(endpoint.key) ?? {};
      return failure && Date.now() < failure.until ? failure.reason : undefined;
    },

    async close(): Promise<void> {
      isClosed = true;
      for (const { idleTimer } of pool.values()) clearTimeout(idleTimer);
      await Promise.all([...connections].map(({ close }) => close()));
    },
  };
}

/** Returns the open connection, or opens one. Concurrent callers share one attempt to connect. */
async function connectShared(entry: PooledConnection, connect: () => Promise<McpConnection>): Promise<McpConnection> {
  if (entry.connection?.isOpen()) return entry.connection;
  entry.connecting ??= connect().finally(() => {
    entry.connecting = undefined;
  });
  entry.connection = await entry.connecting;
  entry.failure = undefined;
  return entry.connection;
}
