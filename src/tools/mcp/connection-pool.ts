import { type McpClientHandle, type McpConnection, type McpLimits, openMcpConnection } from './connection';
import { McpUnreachableError } from './errors';
import type { McpEndpoint } from './transports';

/** The connections of a worker: made when they are needed, shared, made anew when they broke, ended when idle. */
export interface McpConnectionPool {
  use<T>(place: McpEndpoint, work: (connection: McpConnection) => Promise<T>): Promise<T>;
  /** Why the place could not be reached, where that was a moment ago. */
  downBecause(place: McpEndpoint): string | undefined;
  close(): Promise<void>;
}

interface PooledConnection {
  users: number;
  connection?: McpConnection;
  connecting?: Promise<McpConnection>;
  down?: { why: string; until: number };
  idle?: NodeJS.Timeout;
}

export function createMcpConnectionPool(limits: McpLimits): McpConnectionPool {
  const lines = new Map<string, PooledConnection>();
  const links = new Set<McpClientHandle>();
  let isClosed = false;

  function lineTo(place: McpEndpoint): PooledConnection {
    const line = lines.get(place.key) ?? { users: 0 };
    lines.set(place.key, line);
    return line;
  }

  function hangUp(key: string, line: PooledConnection): void {
    lines.delete(key);
    void line.connection?.end();
  }

  return {
    async use(place, work) {
      if (isClosed) throw new McpUnreachableError('the worker is being stopped');
      const line = lineTo(place);
      clearTimeout(line.idle);
      line.users += 1;
      try {
        return await work(await connectShared(line, () => openMcpConnection(place, { limits, links })));
      } catch (error) {
        if (error instanceof McpUnreachableError) line.down = { why: error.message, until: Date.now() + limits.pause };
        throw error;
      } finally {
        line.users -= 1;
        if (line.users === 0) line.idle = setTimeout(() => hangUp(place.key, line), limits.idle).unref();
      }
    },
    downBecause(place) {
      const { down } = lines.get(place.key) ?? {};
      return down && Date.now() < down.until ? down.why : undefined;
    },
    async close() {
      isClosed = true;
      for (const { idle } of lines.values()) clearTimeout(idle);
      await Promise.all([...links].map(({ end }) => end()));
    },
  };
}

/** However many want it, one connects. */
async function connectShared(line: PooledConnection, dial: () => Promise<McpConnection>): Promise<McpConnection> {
  if (line.connection?.isOpen()) return line.connection;
  line.connecting ??= dial().finally(() => {
    line.connecting = undefined;
  });
  line.connection = await line.connecting;
  line.down = undefined;
  return line.connection;
}
