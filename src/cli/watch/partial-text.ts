import { type MarkdownPart, parseMarkdownParts } from '#cli/render/markdown';

/** What of a message is to be printed for good, and what may still change. */
export interface PartialTextUpdate {
  done: MarkdownPart[];
  open: MarkdownPart[];
  /** What was printed is not how it begins: it is told from its beginning. */
  isAnew: boolean;
}

/** How a text begins that no further word changes, with the number of its parts. */
interface StablePrefix {
  text: string;
  parts: number;
}
const NO_PREFIX: StablePrefix = { text: '', parts: 0 };

/** A message while it is written. Each of its parts is printed once: when the next one has begun. */
export class PartialText {
  private printed: string[] = [];
  /** A long message comes in a thousand steps: it is not read from its beginning at each. */
  private beginning = NO_PREFIX;

  /** All of the text so far. */
  write(text: string): PartialTextUpdate {
    if (!text.startsWith(this.beginning.text)) this.beginning = NO_PREFIX;
    const { text: known, parts: before } = this.beginning;
    const rest = text.slice(known.length);
    const parts = parseMarkdownParts(rest, before > 0);
    const progress = this.take(parts, Math.max(parts.length - 1, 0), before);
    if (progress.isAnew && before > 0) {
      this.printed = [];
      return { ...this.write(text), isAnew: true };
    }
    this.learn(rest, parts);
    return progress;
  }

  /** All of the text. */
  finish(text: string): PartialTextUpdate {
    const parts = parseMarkdownParts(text);
    const isShort = parts.length < this.printed.length;
    const progress = isShort ? { done: parts, open: [], isAnew: true } : this.take(parts, parts.length, 0);
    this.printed = [];
    this.beginning = NO_PREFIX;
    return progress;
  }

  private take(parts: MarkdownPart[], settled: number, before: number): PartialTextUpdate {
    const printed = this.printed.slice(before);
    const isAnew = parts.slice(0, settled).some(({ source }, at) => source !== (printed[at] ?? source));
    if (isAnew) {
      this.printed = [];
      this.beginning = NO_PREFIX;
    }
    const from = isAnew ? 0 : printed.length;
    const done = parts.slice(from, settled);
    this.printed.push(...done.map(({ source }) => source));
    return { done, open: parts.slice(Math.max(from, settled)), isAnew };
  }

  /** The last line may yet turn out to belong to the block before it, and to none before that. */
  private learn(rest: string, parts: readonly MarkdownPart[]): void {
    const line = [...new Set(parts.map(({ begins }) => begins))].at(-2) ?? 0;
    const { text, parts: before } = this.beginning;
    const more = parts.filter(({ begins }) => begins < line).length;
    if (more > 0) this.beginning = { text: text + rest.slice(0, findLineOffset(line, rest)), parts: before + more };
  }
}

const LINE_END = /\r\n?|\n/g;

function findLineOffset(line: number, text: string): number {
  const ends = [...text.matchAll(LINE_END)];
  const { index, 0: end } = ends[line - 1] ?? { index: 0, 0: '' };
  return index + end.length;
}
