import type { McpServerConfig } from '#contract/agent';
import type { EnvironmentVariables } from '#tools/interpolate-variables';
import { callMcpTool, type McpToolCall, McpUndeliveredError } from './call-tool';
import type { McpCatalog, McpTool } from './catalog';
import { DEFAULT_MCP_LIMITS, type McpLimits } from './connection';
import { createMcpConnectionPool, type McpConnectionPool } from './connection-pool';
import { explainMcpFailure, McpUnreachableError, readErrorMessage } from './errors';
import { buildMcpCatalog, getMcpDefinition, selectUsableMcpTools } from './tool-definitions';
import { type McpEndpoint, resolveMcpEndpoint } from './transports';

export interface McpServersOptions {
  /** For `${NAME}` in the agents' files. */
  variables: EnvironmentVariables;
  limits?: Partial<McpLimits>;
}

export function createMcpServers({ variables, limits }: McpServersOptions): McpServers {
  const connections = createMcpConnectionPool({ ...DEFAULT_MCP_LIMITS, ...limits });
  const find = async (server: string, config: McpServerConfig) => {
    try {
      return {
        server,
        tools: await listServerTools(connections, resolveMcpEndpoint(config, variables), server, config),
      };
    } catch (error) {
      return { server, why: readErrorMessage(error) };
    }
  };
  return {
    offer: async (servers) =>
      buildMcpCatalog(await Promise.all(Object.entries(servers).map(([name, config]) => find(name, config)))),
    call: async (server, tool, input, signal, resultLength) => {
      const place = resolveMcpEndpoint(server.config, variables);
      const asked = { server, tool: tool.name, own: tool.own, input, signal, resultLength };
      return rejectOnAbort(signal, () => callWithRetry(connections, place, asked));
    },
    close: connections.close,
  };
}

/** A server that was down a moment ago is not waited for again: the model is called often. */
async function listServerTools(
  connections: McpConnectionPool,
  place: McpEndpoint,
  name: string,
  config: McpServerConfig,
): Promise<McpTool[]> {
  const why = connections.downBecause(place);
  if (why !== undefined) throw new McpUnreachableError(why);
  const tools = await connections.use(place, (connection) => connection.tools());
  return [...selectUsableMcpTools(name, config, tools)].map(([known, tool]) => getMcpDefinition(known, tool));
}

async function callWithRetry(connections: McpConnectionPool, place: McpEndpoint, asked: McpToolCall): Promise<string> {
  const attempt = () => connections.use(place, (connection) => callMcpTool(connection, asked));
  try {
    return await attempt().catch((error: unknown) => {
      if (error instanceof McpUndeliveredError) return attempt();
      throw error;
    });
  } catch (error) {
    if (!(error instanceof McpUnreachableError)) throw error;
    const { server, tool } = asked;
    const { name, config } = server;
    throw new Error(explainMcpFailure(error, { server: name, tool, timeout: config.timeout, reason: error.message }));
  }
}

/** Who gives up waits no longer, not even for a connection. */
async function rejectOnAbort<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The MCP servers of agents, connected to when they are needed and shared by all conversations of the worker. */
export interface McpServers {
  offer(servers: Record<string, McpServerConfig>): Promise<McpCatalog>;
  /** Call a tool by the name the model knows, unless the server calls another one so by now; throws an `Error` with a sentence for the model to read. */
  call(
    server: { name: string; config: McpServerConfig },
    tool: { name: string; own?: string },
    input: unknown,
    signal: AbortSignal,
    /** How long a result is worth having. */
    resultLength?: number,
  ): Promise<string>;
  close(): Promise<void>;
}
