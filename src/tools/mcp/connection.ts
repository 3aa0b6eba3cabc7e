import { setImmediate } from 'node:timers/promises';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { describeMcpError, isMcpConnectionBroken, isMcpTimeout, McpUnreachableError } from './errors';
import { createToolListCache, type ListedMcpTool, listMcpTools } from './list-tools';
import { type McpEndpoint, McpStdioTransport } from './transports';

/** Timeouts and intervals. */
export interface McpLimits {
  /** To connect to a server, and again to list its tools. */
  connectMs: number;
  /** For a whole call, whatever progress it reports. Must be below the timeout of the tool activity. */
  callMs: number;
  /** An unused connection is closed after this time. */
  idleMs: number;
  /** A server that could not be reached is not asked for its tools again before this time. */
  retryDelayMs: number;
  /** The tool list is read again after this time, as not every server reports changes. */
  toolListMaxAgeMs: number;
  /** To close all connections. */
  closeMs: number;
}

export const DEFAULT_MCP_LIMITS: McpLimits = {
  connectMs: 10_000,
  callMs: 4 * 60_000,
  idleMs: 5 * 60_000,
  retryDelayMs: 10_000,
  toolListMaxAgeMs: 5 * 60_000,
  closeMs: 2_000,
};

export interface McpCallOptions {
  /** Maximum time without a result or a progress report. */
  timeout: number;
  signal: AbortSignal;
}

/** A connection to a server, shared by all callers. */
export interface McpConnection {
  /** False for a broken connection, which is not used again. */
  isOpen(): boolean;
  tools(): Promise<ListedMcpTool[]>;
  call(tool: ListedMcpTool, input: Record<string, unknown>, options: McpCallOptions): Promise<CallToolResult>;
  describeError(error: unknown): Promise<string>;
  close(): Promise<void>;
}

export async function openMcpConnection(endpoint: McpEndpoint, context: McpClientContext): Promise<McpConnection> {
  const { limits } = context;
  const handle = await connectMcpClient(endpoint, context, () => toolList.invalidate());
  const { client, describeError, close } = handle;
  const toolList = createToolListCache(
    () => listMcpTools(client, AbortSignal.timeout(limits.connectMs)),
    limits.toolListMaxAgeMs,
  );
  return {
    ...createCaller(handle, limits),
    describeError,
    close,
    async tools() {
      try {
        return await toolList.get();
      } catch (error) {
        const why = await describeError(error);
        void close();
        throw new McpUnreachableError(why);
      }
    },
  };
}

function createCaller(
  { client, isOpen, close }: McpClientHandle,
  limits: McpLimits,
): Pick<McpConnection, 'isOpen' | 'call'> {
  let isUsable = true;
  let callsInFlight = 0;
  /** Closes a hanging server, which does not even answer a ping. The next call starts a new one. */
  const closeIfHanging = async () => {
    const isUnresponsive = await client.ping({ timeout: limits.connectMs }).then(() => false, isMcpTimeout);
    if (isUnresponsive && callsInFlight === 0) await close();
  };
  return {
    isOpen: () => isUsable && isOpen(),
    async call(tool, input, { timeout, signal }) {
      callsInFlight += 1;
      try {
        return await sendToolCall(client, tool, input, { timeout, signal }, limits.callMs);
      } catch (error) {
        if (isMcpConnectionBroken(error)) isUsable = false;
        if (isMcpTimeout(error) && !signal.aborted) void closeIfHanging();
        throw error;
      } finally {
        callsInFlight -= 1;
        // Wait for the other calls on this connection, which may still succeed.
        if (!isUsable && callsInFlight === 0) void close();
      }
    },
  };
}

function sendToolCall(
  client: Client,
  { name, inputSchema }: ListedMcpTool,
  input: Record<string, unknown>,
  { timeout, signal }: McpCallOptions,
  maxMs: number,
): Promise<CallToolResult> {
  return client.callTool(
    { name, arguments: input },
    {
      timeout,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
      signal: AbortSignal.any([signal, AbortSignal.timeout(maxMs)]),
      // Omits the output schema: a tool that has run must not count as failed because its result does not match.
      toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } },
    },
  );
}

/** A client with its connection to a server. */
export interface McpClientHandle {
  client: Client;
  isOpen(): boolean;
  /** Returns why the server cannot be used, for people and the model. */
  describeError(error: unknown): Promise<string>;
  close(): Promise<void>;
}

interface McpClientContext {
  limits: McpLimits;
  /** All connections that are open, opening or closing. */
  handles: Set<McpClientHandle>;
}

/** Connects. The handle is in `handles` until it closes. Offers the server no sampling, elicitation or roots. */
async function connectMcpClient(
  endpoint: McpEndpoint,
  { limits, handles }: McpClientContext,
  onChanged: () => void,
): Promise<McpClientHandle> {
  const transport = endpoint.open();
  const client = new Client(
    { name: 'parley', version: '1' },
    { capabilities: {}, listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } },
  );
  const lastStderr = () => (transport instanceof McpStdioTransport ? transport.lastStderr() : '');
  const handle = createClientHandle(client, endpoint, { limits, handles }, lastStderr);
  handles.add(handle);
  try {
    await withTimeout(limits.connectMs, client.connect(transport, { timeout: limits.connectMs }));
    return handle;
  } catch (error) {
    const reason = await handle.describeError(error);
    await handle.close();
    throw new McpUnreachableError(reason);
  }
}

function createClientHandle(
  client: Client,
  endpoint: McpEndpoint,
  { limits, handles }: McpClientContext,
  lastStderr: () => string,
): McpClientHandle {
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => {
      isOpen = false;
      resolve();
    };
  });
  const handle: McpClientHandle = {
    client,
    isOpen: () => isOpen,
    async describeError(error) {
      // The last stderr output arrives on a different pipe than the exit.
      await setImmediate();
      return describeMcpError(error, endpoint, lastStderr());
    },
    async close() {
      isOpen = false;
      client.close().catch(() => undefined);
      await withTimeout(limits.closeMs, closed).catch(() => undefined);
      handles.delete(handle);
    },
  };
  void closed.then(() => handles.delete(handle));
  return handle;
}

/** Adds a timeout: the official client limits requests, but may wait forever to send a notification. */
async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new McpUnreachableError('it did not respond in time')), ms);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
