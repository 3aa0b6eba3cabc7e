import type { Readable } from 'node:stream';

const READERS = new WeakMap<Readable, LineReader>();

/** One reader for each input: what it has read ahead is there for the next question. */
export function lineReaderFor(input: Readable): LineReader {
  const lines = READERS.get(input) ?? new LineReader(input);
  READERS.set(input, lines);
  return lines;
}

/** Lines as they come in. */
export class LineReader {
  private ready: string[] = [];
  private rest = '';
  private isOver: boolean;
  private hasWaited = false;
  private wake: () => void = () => undefined;

  constructor(private readonly input: Readable) {
    // Whoever read a message from it has read it all: the end is not told again.
    this.isOver = input.readableEnded || input.destroyed;
    input.setEncoding('utf8');
    input.on('data', this.take);
    for (const event of ['end', 'error', 'close']) input.on(event, this.end);
    input.pause();
  }

  /** The next one; nothing at the end, or when the signal is aborted, which takes none. */
  async next(signal?: AbortSignal): Promise<string | undefined> {
    while (this.ready.length === 0 && !this.isOver && !signal?.aborted) {
      this.input.resume();
      this.hasWaited = true;
      await this.news(signal);
    }
    return signal?.aborted ? undefined : this.ready.shift()?.replace(/\r$/, '');
  }

  /** Nobody will write any more. */
  isAtEnd(): boolean {
    return this.isOver && this.ready.length === 0;
  }

  /** Nobody has written anything that was not taken, as far as anybody looked. */
  isQuiet(): boolean {
    return this.ready.length === 0 && this.rest === '' && (this.hasWaited || this.isOver);
  }

  /** What was written before now is for nobody. */
  forget(): void {
    this.ready = [];
    this.rest = '';
  }

  private readonly take = (chunk: string): void => {
    const parts = (this.rest + chunk).split('\n');
    this.rest = parts.pop() ?? '';
    this.ready.push(...parts);
    this.hasWaited = false;
    if (this.ready.length > 0) this.input.pause();
    this.wake();
  };

  private readonly end = (): void => {
    if (this.rest !== '') this.ready.push(this.rest);
    this.rest = '';
    this.isOver = true;
    this.wake();
  };

  private news(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        signal?.removeEventListener('abort', go);
        resolve();
      };
      signal?.addEventListener('abort', go);
      this.wake = go;
    });
  }
}
