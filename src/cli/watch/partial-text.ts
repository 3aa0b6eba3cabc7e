import { type MarkdownPart, parseMarkdownParts } from '#cli/render/markdown';

/** The parts of a message that can be printed permanently, and those that may still change. */
export interface PartialTextUpdate {
  finished: MarkdownPart[];
  unfinished: MarkdownPart[];
  /** The text no longer starts with what was printed, so it is printed again from the start. */
  isRestart: boolean;
}

/** More text may change the last block, or make it part of the one before. */
const UNFINISHED_PARTS = 2;

/** A message that is streaming in. Each part is printed once, when more text can no longer change it. */
export class PartialText {
  /** The start of the text, which is printed and not parsed again: a long message arrives in a thousand steps. */
  private printed = '';

  /** Takes the complete text so far. A retried reply may have arrived only in part. */
  write(text: string): PartialTextUpdate {
    if (this.printed.startsWith(text)) return { finished: [], unfinished: [], isRestart: false };
    return this.update(text, UNFINISHED_PARTS);
  }

  /** Takes the final text. */
  finish(text: string): PartialTextUpdate {
    const update = this.update(text, 0);
    this.printed = '';
    return update;
  }

  private update(text: string, unfinishedCount: number): PartialTextUpdate {
    const isRestart = !text.startsWith(this.printed.trimEnd());
    if (isRestart) this.printed = '';
    const remainder = text.slice(this.printed.length);
    const parts = parseMarkdownParts(remainder, this.printed !== '');
    const finishedCount = Math.max(0, parts.length - unfinishedCount);
    const unfinished = parts.slice(finishedCount);
    if (finishedCount > 0) this.printed += remainder.slice(0, findLineOffset(unfinished[0]?.startLine ?? 0, remainder));
    return { finished: parts.slice(0, finishedCount), unfinished, isRestart };
  }
}

const LINE_END = /\r\n?|\n/g;

function findLineOffset(line: number, text: string): number {
  const ends = [...text.matchAll(LINE_END)];
  const { index, 0: end } = ends[line - 1] ?? { index: 0, 0: '' };
  return index + end.length;
}
