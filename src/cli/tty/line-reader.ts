import type { Readable } from 'node:stream';

const READERS = new WeakMap<Readable, LineReader>();

/** Returns the only reader of an input, so that lines read ahead are available to the next question. */
export function lineReaderFor(input: Readable): LineReader {
  const reader = READERS.get(input) ?? new LineReader(input);
  READERS.set(input, reader);
  return reader;
}

/** Reads an input line by line. */
export class LineReader {
  private lines: string[] = [];
  private partialLine = '';
  private hasEnded: boolean;
  private hasWaited = false;
  private wake: () => void = () => undefined;

  constructor(private readonly input: Readable) {
    // The input may already have been read to its end, for a message. `end` is not emitted again.
    this.hasEnded = input.readableEnded || input.destroyed;
    input.setEncoding('utf8');
    input.on('data', this.onChunk);
    for (const event of ['end', 'error', 'close']) input.on(event, this.onEnd);
    input.pause();
  }

  /** Returns the next line; undefined at the end, or if aborted, in which case no line is consumed. */
  async nextLine(signal?: AbortSignal): Promise<string | undefined> {
    while (this.lines.length === 0 && !this.hasEnded && !signal?.aborted) {
      this.input.resume();
      this.hasWaited = true;
      await this.waitForChange(signal);
    }
    return signal?.aborted ? undefined : this.lines.shift()?.replace(/\r$/, '');
  }

  /** Returns whether the input has ended and every line was read. */
  isAtEnd(): boolean {
    return this.hasEnded && this.lines.length === 0;
  }

  /** Returns whether no unread input is known. */
  isDrained(): boolean {
    return this.lines.length === 0 && this.partialLine === '' && (this.hasWaited || this.hasEnded);
  }

  /** Drops all buffered input. */
  discardBuffered(): void {
    this.lines = [];
    this.partialLine = '';
  }

  private readonly onChunk = (chunk: string): void => {
    const parts = (this.partialLine + chunk).split('\n');
    this.partialLine = parts.pop() ?? '';
    this.lines.push(...parts);
    this.hasWaited = false;
    if (this.lines.length > 0) this.input.pause();
    this.wake();
  };

  private readonly onEnd = (): void => {
    if (this.partialLine !== '') this.lines.push(this.partialLine);
    this.partialLine = '';
    this.hasEnded = true;
    this.wake();
  };

  private waitForChange(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        signal?.removeEventListener('abort', settle);
        resolve();
      };
      signal?.addEventListener('abort', settle);
      this.wake = settle;
    });
  }
}
