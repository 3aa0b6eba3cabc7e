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
  let isOver = false;
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
  input.once('end', end);
  input.once('error', end);
  input.pause();

  return {
    isAtEnd: () => isOver && ready.length === 0,
    async next(signal) {
      while (ready.length === 0 && !isOver && !signal?.aborted) {
        input.resume();
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal?.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return signal?.aborted ? undefined : ready.shift()?.replace(/\r$/, '');
    },
  };
}
