import type { ServerResponse } from 'node:http';
import { withTimeout } from '#infra/with-timeout';
import { END_FRAME } from './event-buffer';
import { WakeSignal } from './poll-loop';

export const DEFAULT_CONNECTION_LIMITS = {
  /** Interval of comments that keep proxies from closing the connection. */
  keepAliveMs: 15_000,
  /** A client that reads nothing for this long is disconnected. It resumes with `Last-Event-ID`. */
  drainMs: 20_000,
  /** A client that has unread data and more than this buffered for it is disconnected as too slow. */
  maxBacklog: 4_000_000,
  /** The stream is closed after this time. The client reconnects and resumes. */
  maxDurationMs: Number.POSITIVE_INFINITY,
  /** Closes after the first batch of events, because the response is buffered until it ends. */
  isSingleBatch: false,
};

/** Limits of one SSE connection. Tests use shorter ones. */
export type ConnectionLimits = typeof DEFAULT_CONNECTION_LIMITS;

export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store',
  'x-accel-buffering': 'no',
};

/** How long a browser waits before it reconnects. */
const RETRY_MS = 1_000;
/** Large events are written in chunks, to distinguish a slow client from one that reads nothing. */
const CHUNK_BYTES = 65_536;
const KEEP_ALIVE_COMMENT = ': still here\n\n';
/** How long pending data has to be sent when a connection is closed. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Returns what to send next: `undefined` for nothing at present, or the end of the stream. */
export type NextFrames = () => string | typeof END_FRAME | undefined;

/** One SSE client. The next event is written only after the last one is flushed. */
export class SseConnection {
  private readonly wakeSignal = new WakeSignal();
  private readonly drainSignal = new WakeSignal();
  private isClosing = false;
  private isDisconnected = false;
  /** Resolves when the connection is gone or the response is complete. */
  private readonly closed: Promise<void>;

  constructor(
    private readonly response: ServerResponse,
    readonly limits: ConnectionLimits,
    private readonly retryMs = RETRY_MS,
  ) {
    // A client that disconnects during a write is not an error.
    response.on('error', () => undefined).on('drain', () => this.drainSignal.notify());
    const { socket } = response.req;
    this.closed = new Promise((resolve) => {
      const onClose = () => {
        socket.off('close', onClose);
        this.isDisconnected = true;
        this.notifyAll();
        resolve();
      };
      if (response.destroyed || socket.destroyed) return onClose();
      // Also listens to the socket: a pipelined response that waits for its turn gets no `close` event.
      response.once('close', onClose);
      socket.once('close', onClose);
    });
  }

  /** Whether the client is connected and the stream is not closing. */
  get isOpen(): boolean {
    return !this.isClosing && !this.isDisconnected && !this.response.destroyed;
  }

  /** Whether the client still has to read what was sent. */
  get isSlow(): boolean {
    return this.response.writableNeedDrain;
  }

  wake(): void {
    this.wakeSignal.notify();
  }

  /** Ends the stream cleanly, so that the client reconnects elsewhere. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.notifyAll();
    await withTimeout(this.closed, CLOSE_TIMEOUT_MS, () => undefined);
    if (!this.isDisconnected) this.response.destroy();
  }

  /** Waits until it is woken, or for `ms` at most. */
  wait(ms?: number): Promise<void> {
    return this.wakeSignal.wait(ms);
  }

  /** Sends frames as they become available, until the stream ends or the client disconnects. */
  async stream(next: NextFrames): Promise<void> {
    const { response } = this;
    if (response.destroyed) return;
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    response.write(`retry: ${this.retryMs}\n\n`);
    const keepAlive = setInterval(
      () => response.writableNeedDrain || response.write(KEEP_ALIVE_COMMENT),
      this.limits.keepAliveMs,
    );
    try {
      await this.sendFrames(next);
    } finally {
      clearInterval(keepAlive);
      if (!response.destroyed) response.end();
    }
  }

  private async sendFrames(next: NextFrames): Promise<void> {
    const { maxDurationMs, isSingleBatch } = this.limits;
    const deadline = Date.now() + maxDurationMs;
    for (let hasSent = false; this.isOpen; ) {
      const text = next();
      if (text === END_FRAME) return;
      if (text !== undefined) {
        await this.send(Buffer.from(text));
        hasSent = true;
        continue;
      }
      const remainingMs = deadline - Date.now();
      if (remainingMs <= 0 || (hasSent && isSingleBatch)) return;
      await this.wait(remainingMs);
    }
  }

  /** Sends an event in chunks. On a closing connection it is still completed, without waiting for the client. */
  private async send(event: Buffer): Promise<void> {
    const { response } = this;
    for (let offset = 0; offset < event.length && !response.destroyed; offset += CHUNK_BYTES)
      if (!response.write(event.subarray(offset, offset + CHUNK_BYTES))) await this.waitForDrain();
  }

  /** Waits until the client has read the chunk, and disconnects it after `drainMs`. */
  private async waitForDrain(): Promise<void> {
    const deadline = Date.now() + this.limits.drainMs;
    while (this.isOpen && this.response.writableNeedDrain) {
      const remainingMs = deadline - Date.now();
      if (remainingMs <= 0) return void this.response.destroy();
      await this.drainSignal.wait(remainingMs);
    }
  }

  private notifyAll(): void {
    this.wakeSignal.notify();
    this.drainSignal.notify();
  }
}
