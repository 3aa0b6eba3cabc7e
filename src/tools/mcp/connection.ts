import { setImmediate } from 'node:timers/promises';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { withTimeout } from '#infra/with-timeout';
import { describeMcpError, isMcpConnectionBroken, isMcpTimeout, McpUnreachableError } from './errors';
import { createToolListCache, type ListedMcpTool, listMcpTools } from './list-tools';
import { type McpEndpoint, McpStdioTransport } from './transports';

export const DEFAULT_MCP_LIMITS = {
  /** To connect to a server, and again to list its tools. */
  connectMs: 10_000,
  /** For a whole call, whatever progress it reports. Must be below the timeout of the tool activity. */
  callMs: 4 * 60_000,
  /** An unused connection is closed after this time. */
  idleMs: 5 * 60_000,
  /** A server that could not be reached is not asked for its tools again before this time. */
  retryDelayMs: 10_000,
  /** The tool list is read again after this time, as not every server reports changes. */
  toolListMaxAgeMs: 5 * 60_000,
  /** To close all connections. */
  closeMs: 2_000,
};

/** Timeouts and intervals. */
export type McpLimits = typeof DEFAULT_MCP_LIMITS;

/** A connection to a server, shared by all callers. */
export type McpConnection = Awaited<ReturnType<typeof openMcpConnection>>;

/** Connects, without sampling, elicitation or roots. The connection is in `connections` until it is closed. */
export async function openMcpConnection(
  endpoint: McpEndpoint,
  limits: McpLimits,
  connections: Set<{ close(): Promise<void> }>,
) {
  const transport = endpoint.open();
  const client = new Client(
    { name: 'parley', version: '1' },
    {
      capabilities: {},
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => toolList.invalidate() } },
    },
  );
  const toolList = createToolListCache(
    () => listMcpTools(client, AbortSignal.timeout(limits.connectMs)),
    limits.toolListMaxAgeMs,
  );
  let isUsable = true;
  let callsInFlight = 0;
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  }).finally(() => {
    isUsable = false;
    connections.delete(connection);
  });

  /** Closes a hanging server, which does not even answer a ping. The next call starts a new one. */
  async function closeIfHanging(): Promise<void> {
    const isUnresponsive = await client.ping({ timeout: limits.connectMs }).then(() => false, isMcpTimeout);
    if (isUnresponsive && callsInFlight === 0) await connection.close();
  }

  const connection = {
    /** False for a broken connection, which is not used again. */
    isOpen: () => isUsable,

    /** Returns why the server cannot be used, for people and the model. */
    async describeError(error: unknown): Promise<string> {
      // The last stderr output arrives on a different pipe than the exit.
      await setImmediate();
      return describeMcpError(error, endpoint, transport instanceof McpStdioTransport ? transport.lastStderr() : '');
    },

    async tools(): Promise<ListedMcpTool[]> {
      try {
        return await toolList.get();
      } catch (error) {
        const reason = await connection.describeError(error);
        void connection.close();
        throw new McpUnreachableError(reason);
      }
    },

    async call(
      { name, inputSchema }: ListedMcpTool,
      input: Record<string, unknown>,
      /** `timeout`: maximum time without a result or a progress report. */
      { timeout, signal }: { timeout: number; signal: AbortSignal },
    ): Promise<CallToolResult> {
      const options = {
        timeout,
        resetTimeoutOnProgress: true,
        onprogress: () => undefined,
        signal: AbortSignal.any([signal, AbortSignal.timeout(limits.callMs)]),
        // Omits the output schema: a tool that has run must not count as failed because its result does not match.
        toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' as const } },
      };
      callsInFlight += 1;
      try {
        return await client.callTool({ name, arguments: input }, options);
      } catch (error) {
        if (isMcpConnectionBroken(error)) isUsable = false;
        if (isMcpTimeout(error) && !signal.aborted) void closeIfHanging();
        throw error;
      } finally {
        callsInFlight -= 1;
        // Wait for the other calls on this connection, which may still succeed.
        if (!isUsable && callsInFlight === 0) void connection.close();
      }
    },

    async close(): Promise<void> {
      isUsable = false;
      client.close().catch(() => undefined);
      await withTimeout(closed, limits.closeMs, () => undefined);
      connections.delete(connection);
    },
  };

  connections.add(connection);
  try {
    // The official client limits requests, but may wait forever to send a notification.
    await withTimeout(client.connect(transport, { timeout: limits.connectMs }), limits.connectMs, throwTimedOut);
    return connection;
  } catch (error) {
    const reason = await connection.describeError(error);
    await connection.close();
    throw new McpUnreachableError(reason);
  }
}

function throwTimedOut(): never {
  throw new McpUnreachableError('it did not respond in time');
}
