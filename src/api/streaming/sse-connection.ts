import type { ServerResponse } from 'node:http';
import { END_FRAME } from './event-buffer';
import { WakeSignal } from './poll-loop';

/** How patient a stream is; tests are in more of a hurry. */
export interface ConnectionLimits {
  /** A comment as often keeps proxies awake. */
  keepAliveMs: number;
  /** A reader that takes nothing for so long is hung up on: it finds its place again by `Last-Event-ID`. */
  drainMs: number;
  /** So is one that takes too little: who has not taken what it was sent, while more than this is kept for it. */
  backlog: number;
  /** A stream lasts no longer: whoever watches comes back, and finds its place. */
  lastingMs: number;
  /** Where nothing arrives before the response has ended: it ends with the first that there is to tell. */
  isBrief: boolean;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  keepAliveMs: 15_000,
  drainMs: 20_000,
  backlog: 4_000_000,
  lastingMs: Number.POSITIVE_INFINITY,
  isBrief: false,
};

export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store',
  'x-accel-buffering': 'no',
};

/** A browser that lost its stream comes back after this. */
const RETRY_MS = 1_000;
/** Of what is written at once, nobody can see how much has been taken: by the piece, slow is not the same as deaf. */
const PIECE_BYTES = 65_536;
const COMMENT = ': still here\n\n';
/** What is left to send when everybody is sent away has this long to go out. */
const LEAVING_MS = 1_000;

/** What to send next: nothing for now, or nothing ever again. */
export type NextFrames = () => string | typeof END_FRAME | undefined;

/** Somebody who watches. It is sent one event at a time, and the next only when the last is out of our hands. */
export class SseConnection {
  private readonly bell = new WakeSignal();
  private readonly flow = new WakeSignal();
  private isLeaving = false;
  private isGone = false;
  /** Resolves when the connection is gone or the response is out. */
  private readonly closed: Promise<void>;

  constructor(
    private readonly response: ServerResponse,
    readonly pace: ConnectionLimits,
    private readonly retryMs = RETRY_MS,
  ) {
    // Whoever hangs up in the middle of a write is no error of ours.
    response.on('error', () => undefined).on('drain', () => this.flow.ring());
    const { socket } = response.req;
    this.closed = new Promise((resolve) => {
      const over = () => {
        socket.off('close', over);
        this.isGone = true;
        this.rouse();
        resolve();
      };
      if (response.destroyed || socket.destroyed) return over();
      // Also of the connection: a response that waits for its turn on it never hears that it is gone.
      response.once('close', over);
      socket.once('close', over);
    });
  }

  /** Still there, and wanted? */
  get isHere(): boolean {
    return !this.isLeaving && !this.isGone && !this.response.destroyed;
  }

  /** Has it still to take what it was sent? */
  get isSlow(): boolean {
    return this.response.writableNeedDrain;
  }

  wake(): void {
    this.bell.ring();
  }

  /** End the stream in good order: the reader comes back, and finds somebody else. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    this.rouse();
    let timer: NodeJS.Timeout | undefined;
    const impatient = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LEAVING_MS);
    });
    await Promise.race([this.closed, impatient]);
    clearTimeout(timer);
    if (!this.isGone) this.response.destroy();
  }

  /** Until it is woken, or that long at most. */
  wait(ms?: number): Promise<void> {
    return this.bell.wait(ms);
  }

  /** Send what there is, as it comes, until there is no more or nobody to send it to. */
  async show(next: NextFrames): Promise<void> {
    const { response } = this;
    if (response.destroyed) return;
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    response.write(`retry: ${this.retryMs}\n\n`);
    const beat = setInterval(() => response.writableNeedDrain || response.write(COMMENT), this.pace.keepAliveMs);
    try {
      await this.tell(next);
    } finally {
      clearInterval(beat);
      if (!response.destroyed) response.end();
    }
  }

  private async tell(next: NextFrames): Promise<void> {
    const { lastingMs, isBrief } = this.pace;
    const until = Date.now() + lastingMs;
    for (let isTold = false; this.isHere; ) {
      const text = next();
      if (text === END_FRAME) return;
      if (text !== undefined) {
        await this.send(Buffer.from(text));
        isTold = true;
        continue;
      }
      const left = until - Date.now();
      if (left <= 0 || (isTold && isBrief)) return;
      await this.wait(left);
    }
  }

  /** One who is sent away gets what was begun: nothing waits for it any more. */
  private async send(event: Buffer): Promise<void> {
    const { response } = this;
    for (let at = 0; at < event.length && !response.destroyed; at += PIECE_BYTES)
      if (!response.write(event.subarray(at, at + PIECE_BYTES))) await this.drained();
  }

  /** Until the reader has taken the piece it was sent; one that takes nothing is hung up on. */
  private async drained(): Promise<void> {
    const deadline = Date.now() + this.pace.drainMs;
    while (this.isHere && this.response.writableNeedDrain) {
      const left = deadline - Date.now();
      if (left <= 0) return void this.response.destroy();
      await this.flow.wait(left);
    }
  }

  private rouse(): void {
    this.bell.ring();
    this.flow.ring();
  }
}
