import type { ServerResponse } from 'node:http';
import { Bell } from './bell';
import { END } from './window';

/** How patient a stream is; tests are in more of a hurry. */
export interface Pace {
  /** A comment as often keeps proxies awake. */
  keepAliveMs: number;
  /** A reader that takes nothing for so long is hung up on: it finds its place again by `Last-Event-ID`. */
  drainMs: number;
  /** So is one that takes too little: who has not taken what it was sent, while more than this is kept for it. */
  backlog: number;
}

export const PACE: Pace = { keepAliveMs: 15_000, drainMs: 20_000, backlog: 4_000_000 };

export const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store',
  'x-accel-buffering': 'no',
};

/** A browser that lost its stream comes back after this. */
const RETRY = 'retry: 1000\n\n';
/** Of what is written at once, nobody can see how much has been taken: by the piece, slow is not the same as deaf. */
const PIECE_BYTES = 65_536;
const COMMENT = ': still here\n\n';
/** What is left to send when everybody is sent away has this long to go out. */
const LEAVING_MS = 1_000;

/** What to send next: nothing for now, or nothing ever again. */
export type Next = () => string | typeof END | undefined;

/** Somebody who watches. It is sent one event at a time, and the next only when the last is out of our hands. */
export class Viewer {
  private readonly bell = new Bell();
  private readonly flow = new Bell();
  private isLeaving = false;
  private isGone = false;
  /** Resolves when the connection is gone or the response is out. */
  private readonly closed: Promise<void>;

  constructor(
    private readonly response: ServerResponse,
    readonly pace: Pace,
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

  /** Until it is woken. */
  wait(): Promise<void> {
    return this.bell.wait();
  }

  /** Send what there is, as it comes, until there is no more or nobody to send it to. */
  async show(next: Next): Promise<void> {
    const { response } = this;
    if (response.destroyed) return;
    response.writeHead(200, HEADERS).flushHeaders();
    response.write(RETRY);
    const beat = setInterval(
      () => response.writableNeedDrain || response.write(COMMENT),
      this.pace.keepAliveMs,
    );
    try {
      while (this.isHere) {
        const text = next();
        if (text === END) break;
        if (text === undefined) await this.wait();
        else await this.send(Buffer.from(text));
      }
    } finally {
      clearInterval(beat);
      if (!response.destroyed) response.end();
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
