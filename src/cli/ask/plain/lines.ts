import type { Readable } from 'node:stream';

/** Lines as they come in. */
export interface Lines {
  /** The next one; nothing at the end, or when the signal is aborted, which takes none. */
  next(signal?: AbortSignal): Promise<string | undefined>;
  /** Nobody will write any more. */
  isAtEnd(): boolean;
}

const READERS = new WeakMap<Readable, Lines>();

/** One reader for each input: what it has read ahead is there for the next question. */
export function linesOf(input: Readable): Lines {
  const known = READERS.get(input);
  if (known) return known;
  const lines = createLines(input);
  READERS.set(input, lines);
  return lines;
}

function createLines(input: Readable): Lines {
  const ready: string[] = [];
  let rest = '';
  // Whoever read a message from it has read it all: the end is not told again.
  let isOver = input.readableEnded || input.destroyed;
  let wake: (() => void) | undefined;

  input.setEncoding('utf8');
  input.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    ready.push(...parts);
    if (ready.length > 0) input.pause();
    wake?.();
  });
  const end = () => {
    if (rest !== '') ready.push(rest);
    rest = '';
    isOver = true;
    wake?.();
  };
  for (const event of ['end', 'error', 'close']) input.on(event, end);
  input.pause();

  const waited = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve) => {
      const go = () => {
        signal?.removeEventListener('abort', go);
        resolve();
      };
      signal?.addEventListener('abort', go);
      wake = go;
    });

  return {
    isAtEnd: () => isOver && ready.length === 0,
    async next(signal) {
      while (ready.length === 0 && !isOver && !signal?.aborted) {
        input.resume();
        await waited(signal);
      }
      return signal?.aborted ? undefined : ready.shift()?.replace(/\r$/, '');
    },
  };
}
