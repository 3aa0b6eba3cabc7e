import type { McpServerConfig } from '#contract/agent';
import type { EnvironmentVariables } from '#tools/interpolate-variables';
import { callMcpTool, type McpToolCall, McpUndeliveredError } from './call-tool';
import type { McpCatalog, McpTool } from './catalog';
import { DEFAULT_MCP_LIMITS, type McpLimits } from './connection';
import { createMcpConnectionPool, type McpConnectionPool } from './connection-pool';
import { explainMcpFailure, McpUnreachableError, readErrorMessage } from './errors';
import { buildMcpCatalog, getMcpDefinition, type McpServerTools, selectUsableMcpTools } from './tool-definitions';
import { type McpEndpoint, resolveMcpEndpoint } from './transports';

export type McpServers = ReturnType<typeof createMcpServers>;

/** The MCP servers of agents, connected on demand and shared by all conversations of the worker. */
export function createMcpServers({
  variables,
  limits,
}: {
  /** Values for `${NAME}` in agent files. */
  variables: EnvironmentVariables;
  limits?: Partial<McpLimits>;
}) {
  const connections = createMcpConnectionPool({ ...DEFAULT_MCP_LIMITS, ...limits });
  const listTools = async ([server, config]: [name: string, config: McpServerConfig]): Promise<McpServerTools> => {
    try {
      const endpoint = resolveMcpEndpoint(config, variables);
      return { server, tools: await listServerTools(connections, endpoint, server, config) };
    } catch (error) {
      return { server, reason: readErrorMessage(error) };
    }
  };
  return {
    loadCatalog: async (servers: Record<string, McpServerConfig>): Promise<McpCatalog> =>
      buildMcpCatalog(await Promise.all(Object.entries(servers).map(listTools))),
    /**
     * Calls a tool by the name that the model knows, unless the server has since given that name to another tool. Throws
     * an `Error` with a sentence for the model.
     */
    async call(
      server: McpToolCall['server'],
      { name: tool, serverToolName }: { name: string; serverToolName?: string },
      input: unknown,
      signal: AbortSignal,
    ): Promise<string> {
      const endpoint = resolveMcpEndpoint(server.config, variables);
      const toolCall = { server, tool, serverToolName, input, signal };
      return rejectOnAbort(signal, () => callWithRetry(connections, endpoint, toolCall));
    },
    close: connections.close,
  };
}

/** Lists a server's tools. Fails at once if the server was down a moment ago: models must not wait each time. */
async function listServerTools(
  connections: McpConnectionPool,
  endpoint: McpEndpoint,
  name: string,
  config: McpServerConfig,
): Promise<McpTool[]> {
  const failure = connections.recentFailure(endpoint);
  if (failure !== undefined) throw new McpUnreachableError(failure);
  const tools = await connections.use(endpoint, (connection) => connection.tools());
  return [...selectUsableMcpTools(name, config, tools)].map(([toolName, tool]) => getMcpDefinition(toolName, tool));
}

async function callWithRetry(connections: McpConnectionPool, endpoint: McpEndpoint, toolCall: McpToolCall) {
  const attempt = () => connections.use(endpoint, (connection) => callMcpTool(connection, toolCall));
  try {
    return await attempt().catch((error: unknown) => {
      if (error instanceof McpUndeliveredError) return attempt();
      throw error;
    });
  } catch (error) {
    if (!(error instanceof McpUnreachableError)) throw error;
    const { server, tool } = toolCall;
    const { name, config } = server;
    throw new Error(explainMcpFailure(error, { server: name, tool, timeout: config.timeout, reason: error.message }));
  }
}

/** Rejects as soon as the signal aborts, even during connecting. */
async function rejectOnAbort<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
