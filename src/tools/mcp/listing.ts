import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** Read leniently: one tool that is described badly must not cost the others. */
const Listed = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).catch({}),
  annotations: z.record(z.string(), z.unknown()).catch({}),
  execution: z.record(z.string(), z.unknown()).catch({}),
});
/** A tool as its server describes it. */
export type Listed = z.infer<typeof Listed>;

const Page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const MOST_PAGES = 100;

/** All tools of a server, page by page. */
export async function listTools(client: Client, signal: AbortSignal): Promise<Listed[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: Listed[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, Page, { signal });
    tools.push(...page.tools.flatMap((tool) => Listed.safeParse(tool).data ?? []));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
