import { type MarkdownPart, parseMarkdownParts } from '#cli/render/markdown';

/** The parts of a message that can be printed permanently, and those that may still change. */
export interface PartialTextUpdate {
  finished: MarkdownPart[];
  unfinished: MarkdownPart[];
  /** The text no longer starts with what was printed, so it is printed again from the start. */
  isRestart: boolean;
}

/** The start of a text that later text cannot change, and the number of its parts. */
interface StablePrefix {
  text: string;
  partCount: number;
}
const NO_PREFIX: StablePrefix = { text: '', partCount: 0 };

/** A message that is streaming in. Each part is printed once, when the next one has begun. */
export class PartialText {
  private printed: string[] = [];
  /** Not parsed again, because a long message arrives in a thousand steps. */
  private stablePrefix = NO_PREFIX;

  /** Takes the complete text so far. */
  write(text: string): PartialTextUpdate {
    if (!text.startsWith(this.stablePrefix.text)) this.stablePrefix = NO_PREFIX;
    const { text: stableText, partCount: stablePartCount } = this.stablePrefix;
    const remainder = text.slice(stableText.length);
    const parts = parseMarkdownParts(remainder, stablePartCount > 0);
    const update = this.update(parts, Math.max(parts.length - 1, 0), stablePartCount);
    if (update.isRestart && stablePartCount > 0) {
      this.printed = [];
      return { ...this.write(text), isRestart: true };
    }
    this.extendStablePrefix(remainder, parts);
    return update;
  }

  /** Takes the final text. */
  finish(text: string): PartialTextUpdate {
    const parts = parseMarkdownParts(text);
    const hasFewerParts = parts.length < this.printed.length;
    const update = hasFewerParts
      ? { finished: parts, unfinished: [], isRestart: true }
      : this.update(parts, parts.length, 0);
    this.printed = [];
    this.stablePrefix = NO_PREFIX;
    return update;
  }

  private update(parts: MarkdownPart[], finishedCount: number, stablePartCount: number): PartialTextUpdate {
    const printed = this.printed.slice(stablePartCount);
    const isRestart = parts.slice(0, finishedCount).some(({ source }, index) => source !== (printed[index] ?? source));
    if (isRestart) {
      this.printed = [];
      this.stablePrefix = NO_PREFIX;
    }
    const start = isRestart ? 0 : printed.length;
    const finished = parts.slice(start, finishedCount);
    this.printed.push(...finished.map(({ source }) => source));
    return { finished, unfinished: parts.slice(Math.max(start, finishedCount)), isRestart };
  }

  /** Extends the prefix up to the second-to-last block, because the last line may still join the block before it. */
  private extendStablePrefix(remainder: string, parts: readonly MarkdownPart[]): void {
    const lastLine = [...new Set(parts.map(({ startLine }) => startLine))].at(-2) ?? 0;
    const { text, partCount: stablePartCount } = this.stablePrefix;
    const addedParts = parts.filter(({ startLine }) => startLine < lastLine).length;
    if (addedParts > 0)
      this.stablePrefix = {
        text: text + remainder.slice(0, findLineOffset(lastLine, remainder)),
        partCount: stablePartCount + addedParts,
      };
  }
}

const LINE_END = /\r\n?|\n/g;

function findLineOffset(line: number, text: string): number {
  const ends = [...text.matchAll(LINE_END)];
  const { index, 0: end } = ends[line - 1] ?? { index: 0, 0: '' };
  return index + end.length;
}
