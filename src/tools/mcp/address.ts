import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';

const GOODBYE_MS = 1_000;
/** A code of the range that JSON-RPC leaves to implementations. */
export const STREAM_ENDED = -32_090;

/** An MCP server at a web address. Each request has a stream of its own, which the official one does not look after. */
export class Address extends StreamableHTTPClientTransport {
  private readonly streams = new Map<RequestId, AbortController>();

  override async start(): Promise<void> {
    const hear = this.onmessage;
    this.onmessage = (message) => {
      if ('id' in message && !('method' in message)) this.streams.delete(message.id as RequestId);
      hear?.(message);
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

  /** Where the stream ends and brought no answer, none will come: do not wait for the timeout. */
  private async request(message: JSONRPCRequest, options: TransportSendOptions): Promise<void> {
    const { id } = message;
    const stream = new AbortController();
    this.streams.set(id, stream);
    const onRequestStreamEnd = () => {
      if (!this.streams.delete(id)) return;
      this.onmessage?.({
        jsonrpc: '2.0',
        id,
        error: { code: STREAM_ENDED, message: 'the connection broke' },
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

  /** A server that was told to cancel answers no more, and would leave the stream open. */
  private cancel(id: RequestId): void {
    this.streams.get(id)?.abort();
    this.streams.delete(id);
  }

  /** Says goodbye first, so that the server need not keep the session. */
  override async close(): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref());
    await Promise.race([this.terminateSession().catch(() => undefined), late]);
    await super.close();
  }
}
