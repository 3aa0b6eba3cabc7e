import type { McpServer } from '#contract/agent';
import type { Variables } from '#contract/variables';
import type { McpServers, McpTool } from '#tools/mcp';
import { callOn, type ToolCall, Undelivered } from './call';
import { type Connections, createConnections } from './connections';
import { explain } from './explain';
import { LIMITS, type Limits } from './limits';
import { definitionOf, offerOf, usableTools } from './offer';
import { type Place, placeOf } from './place';
import { messageOf, Unreachable } from './trouble';

export interface McpSettings {
  /** For `${NAME}` in the agents' files. */
  variables: Variables;
  limits?: Partial<Limits>;
}

export function createMcpServers({ variables, limits }: McpSettings): McpServers {
  const connections = createConnections({ ...LIMITS, ...limits });
  const find = async (server: string, config: McpServer) => {
    try {
      return { server, tools: await toolsOf(connections, placeOf(config, variables), server, config) };
    } catch (error) {
      return { server, why: messageOf(error) };
    }
  };
  return {
    offer: async (servers) =>
      offerOf(await Promise.all(Object.entries(servers).map(([name, config]) => find(name, config)))),
    call: async (server, tool, input, signal, resultLength) => {
      const place = placeOf(server.config, variables);
      const asked = { server, tool: tool.name, own: tool.own, input, signal, resultLength };
      return unlessAborted(signal, () => call(connections, place, asked));
    },
    close: connections.close,
  };
}

/** A server that was down a moment ago is not waited for again: the model is called often. */
async function toolsOf(
  connections: Connections,
  place: Place,
  name: string,
  config: McpServer,
): Promise<McpTool[]> {
  const why = connections.downBecause(place);
  if (why !== undefined) throw new Unreachable(why);
  const tools = await connections.use(place, (connection) => connection.tools());
  return [...usableTools(name, config, tools)].map(([known, tool]) => definitionOf(known, tool));
}

async function call(connections: Connections, place: Place, asked: ToolCall): Promise<string> {
  const attempt = () => connections.use(place, (connection) => callOn(connection, asked));
  try {
    return await attempt().catch((error: unknown) => {
      if (error instanceof Undelivered) return attempt();
      throw error;
    });
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    const { server, tool } = asked;
    const { name, config } = server;
    throw new Error(explain(error, { server: name, tool, timeout: config.timeout, reason: error.message }));
  }
}

/** Who gives up waits no longer, not even for a connection. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
