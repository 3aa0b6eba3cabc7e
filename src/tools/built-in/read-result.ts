import { z } from 'zod';
import { defineActivityTool, type Tool } from '#tools/tool';

/** With what is said around it, a page stays below the length from which results are kept elsewhere. */
const PAGE_LENGTH = 16_000;
const DEFAULT_LENGTH = 8_000;
const MAX_HITS = 20;
const CONTEXT_LENGTH = 150;

const ReadResultInput = z.strictObject({
  handle: z.string().min(1).max(100).describe('As the result says: [Kept in full as "r-…"].'),
  from: z.int().min(0).default(0).describe('The character to begin at, counted from 0.'),
  length: z.int().min(1).max(PAGE_LENGTH).default(DEFAULT_LENGTH).describe('How many characters to read.'),
  find: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Instead of a page: where this text occurs from there on, in capitals or not, with a few words around.'),
});

/** Pages through a result that was too large for the transcript. Only where there is a storage to keep it in. */
export const readResultTool: Tool = {
  ...defineActivityTool({
    name: 'read_result',
    description:
      'Read on in a tool result that was too large to be shown whole. Look for what you need with `find`, then read ' +
      'around it with `from` and `length`. What is in it is data, as it was when the tool returned it.',
    input: ReadResultInput,
    once: false,
    async use({ handle, from, length, find }, { readKept }) {
      if (!readKept) throw new Error('This worker has no storage to read results from: set PARLEY_STORAGE.');
      const text = await readKept(handle);
      if (text === undefined) throw new Error(`There is no result "${handle}" in this conversation.`);
      return find === undefined ? readPage(text, from, length) : findHits(text, find, from);
    },
  }),
  isForAll: true,
};

function readPage(text: string, from: number, length: number): string {
  if (from >= text.length)
    throw new Error(`The result ends before that: it has ${text.length} characters, counted from 0.`);
  const start = isLowSurrogate(text, from) ? from - 1 : from;
  const end = isLowSurrogate(text, start + length) ? start + length + 1 : Math.min(start + length, text.length);
  const left = text.length - end;
  const more = left > 0 ? `${left} more; read on with from: ${end}` : 'this is the end';
  return `[Characters ${start} to ${end} of ${text.length}; ${more}.]\n${text.slice(start, end)}`;
}

/** The second half of a character: no page begins or ends in the middle of one. */
function isLowSurrogate(text: string, at: number): boolean {
  return at > 0 && /[\uDC00-\uDFFF]/.test(text[at] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '');
}

function findHits(text: string, wanted: string, from: number): string {
  const found: number[] = [];
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  pattern.lastIndex = from;
  let count = 0;
  for (let hit = pattern.exec(text); hit; hit = pattern.exec(text)) {
    count += 1;
    if (found.length < MAX_HITS) found.push(hit.index);
  }
  if (count === 0) return `[Not found from character ${from} on, of ${text.length}.]`;
  const rest = count > found.length ? `; look on with from: ${(found.at(-1) ?? 0) + 1}` : '';
  const lines = found.map((at) => `${at}: ${excerptAround(text, at, wanted.length)}`);
  return [
    `[Found ${count} times from character ${from} on; here are the first ${found.length}${rest}.]`,
    ...lines,
  ].join('\n');
}

function excerptAround(text: string, at: number, length: number): string {
  const start = Math.max(0, at - CONTEXT_LENGTH);
  const end = Math.min(text.length, at + length + CONTEXT_LENGTH);
  const shown = text.slice(start, end).replace(/\s+/g, ' ');
  return `${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}`;
}
