import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import type { McpServerConfig } from '#contract/agent';
import { canonicalJson } from '#core/digest';
import { withTimeout } from '#infra/with-timeout';
import {
  createSecretRedactor,
  type EnvironmentVariables,
  interpolateText,
  interpolateTexts,
} from '#tools/interpolate-variables';

/** The address or command of a server, with variables filled in. */
export type McpEndpoint = ReturnType<typeof resolveMcpEndpoint>;

export function resolveMcpEndpoint(config: McpServerConfig, variables: EnvironmentVariables) {
  const { timeout, tools, ...endpoint } = config;
  const resolved =
    'url' in endpoint
      ? { url: interpolateText(endpoint.url, variables), headers: interpolateTexts(endpoint.headers, variables) }
      : {
          ...endpoint,
          args: endpoint.args.map((arg) => interpolateText(arg, variables)),
          env: interpolateTexts(endpoint.env, variables),
        };
  return {
    /** Agents with the same key share a connection. */
    key: canonicalJson([endpoint, resolved]),
    /** Display name from the agent file, for people and the model. */
    name: 'url' in endpoint ? endpoint.url : endpoint.command,
    open: () =>
      resolved.url !== undefined
        ? new McpHttpTransport(new URL(resolved.url), { requestInit: { headers: resolved.headers } })
        : new McpStdioTransport(resolved),
    /** Redacts the values of variables: a server's output may repeat its secrets. */
    redact: createSecretRedactor([JSON.stringify(endpoint)], variables),
  };
}

const TERMINATE_TIMEOUT_MS = 1_000;
/** Error code in the range that JSON-RPC reserves for implementations. */
export const STREAM_ENDED_CODE = -32_090;

/** Connects to an MCP server over HTTP. Tracks the stream of each request, which the official transport does not do. */
class McpHttpTransport extends StreamableHTTPClientTransport {
  private readonly streams = new Map<RequestId, AbortController>();

  override async start(): Promise<void> {
    const forward = this.onmessage;
    this.onmessage = (message) => {
      if ('id' in message && !('method' in message)) this.streams.delete(message.id as RequestId);
      forward?.(message);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if ('method' in message && 'id' in message) return this.request(message, options);
    await super.send(message, options);
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.cancel(message.params?.requestId as RequestId);
    }
  }

  /** Fails the request if its stream ends without a response, since none will come. */
  private async request(message: JSONRPCRequest, options: TransportSendOptions): Promise<void> {
    const { id } = message;
    const stream = new AbortController();
    this.streams.set(id, stream);
    const onRequestStreamEnd = () => {
      if (!this.streams.delete(id)) return;
      this.onmessage?.({
        jsonrpc: '2.0',
        id,
        error: { code: STREAM_ENDED_CODE, message: 'the connection broke' },
      });
    };
    try {
      const { requestSignal = stream.signal } = options;
      await super.send(message, { ...options, requestSignal, onRequestStreamEnd });
    } catch (error) {
      this.streams.delete(id);
      throw error;
    }
  }

  /** Aborts the stream of a cancelled request. The server no longer answers and would leave it open. */
  private cancel(id: RequestId): void {
    this.streams.get(id)?.abort();
    this.streams.delete(id);
  }

  /** Terminates the session first, so that the server can drop it. */
  override async close(): Promise<void> {
    await withTimeout(this.terminateSession(), TERMINATE_TIMEOUT_MS, () => undefined).catch(() => undefined);
    await super.close();
  }
}

/** Time for the program to exit after its stdin is closed, and then after SIGTERM. */
const SIGTERM_AFTER_MS = 500;
const SIGKILL_AFTER_MS = 1_200;
const MAX_STDERR_LENGTH = 2_000;
const MAX_STDERR_LINES = 5;

/** Runs an MCP server as a child process. */
export class McpStdioTransport extends StdioClientTransport {
  private stderrTail = '';

  constructor(settings: StdioServerParameters) {
    super({ ...settings, stderr: 'pipe' });
    this.stderr?.on('data', (chunk: Buffer) => {
      this.stderrTail = (this.stderrTail + chunk).slice(-MAX_STDERR_LENGTH);
    });
  }

  /** Returns the last lines of stderr: usually the reason why the program exited. */
  lastStderr(): string {
    return this.stderrTail.trim().split('\n').slice(-MAX_STDERR_LINES).join('\n');
  }

  /** Closes faster than the official transport, which waits 2 s before each step: a stopping worker has less time. */
  override async close(): Promise<void> {
    const { pid } = this;
    const steps = [
      setTimeout(() => sendSignal(pid, 'SIGTERM'), SIGTERM_AFTER_MS),
      setTimeout(() => sendSignal(pid, 'SIGKILL'), SIGKILL_AFTER_MS),
    ];
    await super.close();
    for (const step of steps) clearTimeout(step);
  }
}

function sendSignal(pid: number | null, name: NodeJS.Signals): void {
  try {
    if (pid !== null) process.kill(pid, name);
  } catch {
    // The process has already exited.
  }
}
