import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** Read leniently: one tool that is described badly must not cost the others. */
export const ListedMcpTool = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).catch({}),
  annotations: z.record(z.string(), z.unknown()).catch({}),
  execution: z.record(z.string(), z.unknown()).catch({}),
});
/** A tool as its server describes it. */
export type ListedMcpTool = z.infer<typeof ListedMcpTool>;

const ToolPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const MAX_PAGES = 100;

/** All tools of a server, page by page. */
export async function listMcpTools(client: Client, signal: AbortSignal): Promise<ListedMcpTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: ListedMcpTool[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, ToolPage, { signal });
    tools.push(...page.tools.flatMap((tool) => ListedMcpTool.safeParse(tool).data ?? []));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

export interface ToolListCache {
  get(): Promise<ListedMcpTool[]>;
  /** It has changed: read it again when it is next wanted. */
  outdate(): void;
}

/** A server's tools, read when they are first wanted, and again when they changed or the list has grown old. */
export function createToolListCache(read: () => Promise<ListedMcpTool[]>, freshMs: number): ToolListCache {
  let known: { tools: ListedMcpTool[]; until: number } | undefined;
  let reading: Promise<ListedMcpTool[]> | undefined;
  let changes = 0;

  async function readAnew(): Promise<ListedMcpTool[]> {
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
