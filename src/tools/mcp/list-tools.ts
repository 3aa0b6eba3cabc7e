import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** Parses leniently: one badly described tool must not affect the others. */
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

/** Lists all tools of a server, page by page. */
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

/** Caches a server's tools: reads them on first use, and again when they changed or the list is too old. */
export function createToolListCache(read: () => Promise<ListedMcpTool[]>, maxAgeMs: number) {
  let cached: { tools: ListedMcpTool[]; until: number } | undefined;
  let pendingRead: Promise<ListedMcpTool[]> | undefined;
  let changes = 0;

  async function refresh(): Promise<ListedMcpTool[]> {
    const changesBefore = changes;
    try {
      const tools = await read();
      cached = { tools, until: changesBefore === changes ? Date.now() + maxAgeMs : 0 };
      return tools;
    } catch (error) {
      // A busy server may fail to list its tools again in time: the known list is still good.
      if (!cached) throw error;
      cached.until = Date.now() + maxAgeMs;
      return cached.tools;
    } finally {
      pendingRead = undefined;
    }
  }

  return {
    async get(): Promise<ListedMcpTool[]> {
      if (cached && Date.now() < cached.until) return cached.tools;
      pendingRead ??= refresh();
      return pendingRead;
    },
    /** Makes the next `get` read the list again. */
    invalidate(): void {
      changes += 1;
      if (cached) cached.until = 0;
    },
  };
}
