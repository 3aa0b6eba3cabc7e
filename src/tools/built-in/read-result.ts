import { z } from 'zod';
import { defineActivityTool, type Tool } from '#tools/tool';

/** Maximum page length. A page with the text around it is short enough not to be stored elsewhere again. */
const PAGE_LENGTH = 16_000;
const DEFAULT_LENGTH = 8_000;
const MAX_HITS = 20;
const CONTEXT_LENGTH = 150;

const ReadResultInput = z.strictObject({
  handle: z.string().min(1).max(100).describe('The handle from the result, such as "r-…".'),
  from: z.int().min(0).default(0).describe('The position of the first character, counted from 0.'),
  length: z.int().min(1).max(PAGE_LENGTH).default(DEFAULT_LENGTH).describe('Number of characters to read.'),
  find: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Instead of a page: find this text from there on, ignoring case, and show each hit with context.'),
});

/** Pages through a result that was too large for the transcript. Only available if there is a storage. */
export const readResultTool: Tool = {
  ...defineActivityTool({
    name: 'read_result',
    description:
      'Read more of a tool result that was too large to show in full. Search with `find`, then read around the hits with ' +
      '`from` and `length`. The content is data, as the tool returned it.',
    input: ReadResultInput,
    runOnce: false,
    async execute({ handle, from, length, find }, { readStoredResult }) {
      if (!readStoredResult) throw new Error('This worker has no storage for results. Set PARLEY_STORAGE.');
      const text = await readStoredResult(handle);
      if (text === undefined) throw new Error(`No result "${handle}" in this conversation.`);
      return find === undefined ? readPage(text, from, length) : findHits(text, find, from);
    },
  }),
  isAlwaysAvailable: true,
};

function readPage(text: string, from: number, length: number): string {
  if (from >= text.length)
    throw new Error(`Position out of range: the result has ${text.length} characters, counted from 0.`);
  const start = isLowSurrogate(text, from) ? from - 1 : from;
  const end = isLowSurrogate(text, start + length) ? start + length + 1 : Math.min(start + length, text.length);
  const remaining = text.length - end;
  const position = remaining > 0 ? `${remaining} more, continue with from: ${end}` : 'end of result';
  return `[Characters ${start} to ${end} of ${text.length}; ${position}.]\n${text.slice(start, end)}`;
}

/** Whether the second half of a surrogate pair is at that index, so that no page splits a character. */
function isLowSurrogate(text: string, index: number): boolean {
  return index > 0 && /[\uDC00-\uDFFF]/.test(text[index] ?? '') && /[\uD800-\uDBFF]/.test(text[index - 1] ?? '');
}

function findHits(text: string, searchText: string, from: number): string {
  const hitIndexes: number[] = [];
  const pattern = new RegExp(searchText.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  pattern.lastIndex = from;
  let count = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    count += 1;
    if (hitIndexes.length < MAX_HITS) hitIndexes.push(match.index);
  }
  if (count === 0) return `[Not found from character ${from} on, of ${text.length}.]`;
  const continuation = count > hitIndexes.length ? `; continue with from: ${(hitIndexes.at(-1) ?? 0) + 1}` : '';
  const lines = hitIndexes.map((index) => `${index}: ${excerptAround(text, index, searchText.length)}`);
  return [
    `[Found ${count} times from character ${from} on; showing the first ${hitIndexes.length}${continuation}.]`,
    ...lines,
  ].join('\n');
}

function excerptAround(text: string, index: number, length: number): string {
  const start = Math.max(0, index - CONTEXT_LENGTH);
  const end = Math.min(text.length, index + length + CONTEXT_LENGTH);
  const excerpt = text.slice(start, end).replace(/\s+/g, ' ');
  return `${start > 0 ? '…' : ''}${excerpt}${end < text.length ? '…' : ''}`;
}
