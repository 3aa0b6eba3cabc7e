import { setImmediate } from 'node:timers/promises';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { describeMcpError, isMcpConnectionBroken, isMcpTimeout, McpUnreachableError } from './errors';
import { createToolListCache, type ListedMcpTool, listMcpTools } from './list-tools';
import { type McpEndpoint, McpStdioTransport } from './transports';

/** How long things may take, in milliseconds. */
export interface McpLimits {
  /** To connect to a server, and again to list its tools. */
  connect: number;
  /** For a call in all, however much progress is told: below the time limit of what runs tools. */
  call: number;
  /** How long a connection nobody uses is kept. */
  idle: number;
  /** How long a server that could not be reached is not tried again for its tools. */
  pause: number;
  /** How old a list of tools may be: not every server tells of changes. */
  fresh: number;
  /** To end all connections. */
  close: number;
}

export const DEFAULT_MCP_LIMITS: McpLimits = {
  connect: 10_000,
  call: 4 * 60_000,
  idle: 5 * 60_000,
  pause: 10_000,
  fresh: 5 * 60_000,
  close: 2_000,
};

export interface McpCallOptions {
  /** Without a result or a word of progress. */
  timeout: number;
  signal: AbortSignal;
}

/** A connection to a server, shared by all who use it. */
export interface McpConnection {
  /** One that broke is not used again. */
  isOpen(): boolean;
  tools(): Promise<ListedMcpTool[]>;
  call(tool: ListedMcpTool, input: Record<string, unknown>, bounds: McpCallOptions): Promise<CallToolResult>;
  reason(error: unknown): Promise<string>;
  end(): Promise<void>;
}

export async function openMcpConnection(place: McpEndpoint, linking: McpClientContext): Promise<McpConnection> {
  const { limits } = linking;
  const made = await connectMcpClient(place, linking, () => list.outdate());
  const { client, reason, end } = made;
  const list = createToolListCache(() => listMcpTools(client, AbortSignal.timeout(limits.connect)), limits.fresh);
  return {
    ...createCaller(made, limits),
    reason,
    end,
    async tools() {
      try {
        return await list.get();
      } catch (error) {
        const why = await reason(error);
        void end();
        throw new McpUnreachableError(why);
      }
    },
  };
}

function createCaller(
  { client, isOpen, end }: McpClientHandle,
  limits: McpLimits,
): Pick<McpConnection, 'isOpen' | 'call'> {
  let isUsable = true;
  let underWay = 0;
  /** A server that is silent even to a ping hangs: the next call gets a new one. */
  const endIfHanging = async () => {
    const isSilent = await client.ping({ timeout: limits.connect }).then(() => false, isMcpTimeout);
    if (isSilent && underWay === 0) await end();
  };
  return {
    isOpen: () => isUsable && isOpen(),
    async call(tool, input, { timeout, signal }) {
      underWay += 1;
      try {
        return await sendToolCall(client, tool, input, { timeout, signal }, limits.call);
      } catch (error) {
        if (isMcpConnectionBroken(error)) isUsable = false;
        if (isMcpTimeout(error) && !signal.aborted) void endIfHanging();
        throw error;
      } finally {
        underWay -= 1;
        // Others may have calls under way that go well.
        if (!isUsable && underWay === 0) void end();
      }
    },
  };
}

function sendToolCall(
  client: Client,
  { name, inputSchema }: ListedMcpTool,
  input: Record<string, unknown>,
  { timeout, signal }: McpCallOptions,
  most: number,
): Promise<CallToolResult> {
  return client.callTool(
    { name, arguments: input },
    {
      timeout,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
      signal: AbortSignal.any([signal, AbortSignal.timeout(most)]),
      // Without its output schema: a tool that has run is not said to have failed because its result looks odd.
      toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } },
    },
  );
}

/** A client that is connected to its server. */
export interface McpClientHandle {
  client: Client;
  isOpen(): boolean;
  /** Why the server is no good, by what went wrong with it. */
  reason(error: unknown): Promise<string>;
  end(): Promise<void>;
}

interface McpClientContext {
  limits: McpLimits;
  /** All that are open, being opened or being ended. */
  links: Set<McpClientHandle>;
}

/** Connect, and be among the links until it ends. The server is offered no sampling, no elicitation and no roots. */
async function connectMcpClient(
  place: McpEndpoint,
  { limits, links }: McpClientContext,
  onChanged: () => void,
): Promise<McpClientHandle> {
  const transport = place.open();
  const client = new Client(
    { name: 'parley', version: '1' },
    { capabilities: {}, listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } },
  );
  const lastWords = () => (transport instanceof McpStdioTransport ? transport.lastWords() : '');
  const made = createClientHandle(client, place, { limits, links }, lastWords);
  links.add(made);
  try {
    await withTimeout(limits.connect, client.connect(transport, { timeout: limits.connect }));
    return made;
  } catch (error) {
    const why = await made.reason(error);
    await made.end();
    throw new McpUnreachableError(why);
  }
}

function createClientHandle(
  client: Client,
  place: McpEndpoint,
  { limits, links }: McpClientContext,
  lastWords: () => string,
): McpClientHandle {
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => {
      isOpen = false;
      resolve();
    };
  });
  const made: McpClientHandle = {
    client,
    isOpen: () => isOpen,
    async reason(error) {
      // What a program said last comes by another pipe than its end.
      await setImmediate();
      return describeMcpError(error, place, lastWords());
    },
    async end() {
      isOpen = false;
      client.close().catch(() => undefined);
      await withTimeout(limits.close, closed).catch(() => undefined);
      links.delete(made);
    },
  };
  void closed.then(() => links.delete(made));
  return made;
}

/** The official client times its requests, and waits for ever to have a notification taken. */
async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new McpUnreachableError('it did not answer in time')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
