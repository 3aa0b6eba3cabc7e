import { type McpClientHandle, type McpConnection, type McpLimits, openMcpConnection } from './connection';
import { McpUnreachableError } from './errors';
import type { McpEndpoint } from './transports';

/** The connections of a worker: opened on demand, shared, reopened when broken, closed when idle. */
export interface McpConnectionPool {
  use<T>(endpoint: McpEndpoint, work: (connection: McpConnection) => Promise<T>): Promise<T>;
  /** Returns why the endpoint could not be reached, if that was recent. */
  recentFailure(endpoint: McpEndpoint): string | undefined;
  close(): Promise<void>;
}

interface PooledConnection {
  users: number;
  connection?: McpConnection;
  connecting?: Promise<McpConnection>;
  failure?: { reason: string; until: number };
  idleTimer?: NodeJS.Timeout;
}

export function createMcpConnectionPool(limits: McpLimits): McpConnectionPool {
  const pool = new Map<string, PooledConnection>();
  const handles = new Set<McpClientHandle>();
  let isClosed = false;

  function entryFor(endpoint: McpEndpoint): PooledConnection {
    const entry = pool.get(endpoint.key) ?? { users: 0 };
    pool.set(endpoint.key, entry);
    return entry;
  }

  function disconnect(key: string, entry: PooledConnection): void {
    pool.delete(key);
    void entry.connection?.close();
  }

  return {
    async use(endpoint, work) {
      if (isClosed) throw new McpUnreachableError('the worker is shutting down');
      const entry = entryFor(endpoint);
      clearTimeout(entry.idleTimer);
      entry.users += 1;
      try {
        return await work(await connectShared(entry, () => openMcpConnection(endpoint, { limits, handles })));
      } catch (error) {
        if (error instanceof McpUnreachableError)
          entry.failure = { reason: error.message, until: Date.now() + limits.retryDelayMs };
        throw error;
      } finally {
        entry.users -= 1;
        if (entry.users === 0)
          entry.idleTimer = setTimeout(() => disconnect(endpoint.key, entry), limits.idleMs).unref();
      }
    },
    recentFailure(endpoint) {
      const { failure } = pool.get(endpoint.key) ?? {};
      return failure && Date.now() < failure.until ? failure.reason : undefined;
    },
    async close() {
      isClosed = true;
      for (const { idleTimer } of pool.values()) clearTimeout(idleTimer);
      await Promise.all([...handles].map(({ close }) => close()));
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
