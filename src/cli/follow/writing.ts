import { markdownParts, type Part } from '../text/markdown';

/** What of a message is to be printed for good, and what may still change. */
export interface Progress {
  done: Part[];
  open: Part[];
  /** What was printed is not how it begins: it is told from its beginning. */
  isAnew: boolean;
}

/** A message while it is written. Each of its parts is printed once: when the next one has begun. */
export class Writing {
  private printed: string[] = [];

  /** All of the text so far. */
  write(text: string): Progress {
    const parts = markdownParts(text);
    return this.take(parts, Math.max(parts.length - 1, 0));
  }

  /** All of the text. */
  finish(text: string): Progress {
    const parts = markdownParts(text);
    const isShort = parts.length < this.printed.length;
    const progress = isShort ? { done: parts, open: [], isAnew: true } : this.take(parts, parts.length);
    this.printed = [];
    return progress;
  }

  private take(parts: Part[], settled: number): Progress {
    const isAnew = parts.slice(0, settled).some(({ source }, at) => source !== (this.printed[at] ?? source));
    if (isAnew) this.printed = [];
    const from = this.printed.length;
    const done = parts.slice(from, settled);
    this.printed.push(...done.map(({ source }) => source));
    return { done, open: parts.slice(Math.max(from, settled)), isAnew };
  }
}
