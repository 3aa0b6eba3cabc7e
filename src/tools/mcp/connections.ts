import { type Connection, connect } from './connection';
import type { Limits } from './limits';
import type { Link } from './link';
import type { Place } from './place';
import { Unreachable } from './trouble';

/** The connections of a worker: made when they are needed, shared, made anew when they broke, ended when idle. */
export interface Connections {
  use<T>(place: Place, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Why the place could not be reached, where that was a moment ago. */
  downBecause(place: Place): string | undefined;
  close(): Promise<void>;
}

interface Line {
  users: number;
  connection?: Connection;
  connecting?: Promise<Connection>;
  down?: { why: string; until: number };
  idle?: NodeJS.Timeout;
}

export function createConnections(limits: Limits): Connections {
  const lines = new Map<string, Line>();
  const links = new Set<Link>();
  let isClosed = false;

  function lineTo(place: Place): Line {
    const line = lines.get(place.key) ?? { users: 0 };
    lines.set(place.key, line);
    return line;
  }

  function hangUp(key: string, line: Line): void {
    lines.delete(key);
    void line.connection?.end();
  }

  return {
    async use(place, work) {
      if (isClosed) throw new Unreachable('the worker is being stopped');
      const line = lineTo(place);
      clearTimeout(line.idle);
      line.users += 1;
      try {
        return await work(await connected(line, () => connect(place, { limits, links })));
      } catch (error) {
        if (error instanceof Unreachable)
          line.down = { why: error.message, until: Date.now() + limits.pause };
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
async function connected(line: Line, dial: () => Promise<Connection>): Promise<Connection> {
  if (line.connection?.isOpen()) return line.connection;
  line.connecting ??= dial().finally(() => {
    line.connecting = undefined;
  });
  line.connection = await line.connecting;
  line.down = undefined;
  return line.connection;
}
