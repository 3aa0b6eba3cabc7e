import type { Listed } from './listing';

export interface ToolList {
  get(): Promise<Listed[]>;
  /** It has changed: read it again when it is next wanted. */
  outdate(): void;
}

/** A server's tools, read when they are first wanted, and again when they changed or the list has grown old. */
export function toolList(read: () => Promise<Listed[]>, freshMs: number): ToolList {
  let known: { tools: Listed[]; until: number } | undefined;
  let reading: Promise<Listed[]> | undefined;
  let changes = 0;

  async function readAnew(): Promise<Listed[]> {
    const before = changes;
    try {
      const tools = await read();
      known = { tools, until: before === changes ? Date.now() + freshMs : 0 };
      return tools;
    } catch (error) {
      // A busy server may be slow to tell what it has told before.
      if (!known) throw error;
      known.until = Date.now() + freshMs;
      return known.tools;
    } finally {
      reading = undefined;
    }
  }

  return {
    async get() {
      if (known && Date.now() < known.until) return known.tools;
      reading ??= readAnew();
      return reading;
    },
    outdate() {
      changes += 1;
      if (known) known.until = 0;
    },
  };
}
