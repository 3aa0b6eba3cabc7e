/** In characters. A part is parsed anew when it changes, and while a text is written only the last one does. */
const PART = 4_000;

/** A long text cut at blank lines, outside of code. The same text to come gives the same parts before it. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let isCode = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (/^ {0,3}(```|~~~)/.test(line)) isCode = !isCode;
    part += line;
    if (part.length < PART || isCode || line.trim() !== '') continue;
    parts.push(part);
    part = '';
  }
  return part === '' && parts.length > 0 ? parts : [...parts, part];
}

const MOST_SIGNS = 400;
const DEEPEST = 40;
/** Quotes and lists within each other, as deep as a line can make them. */
const NESTED = new RegExp(`^(?:[ \\t]*(?:>|[-+*]|\\d{1,9}[.)])(?=[ \\t>]|$)){${DEEPEST}}`, 'm');

/** Made to be hard, or as good as: parsed it would keep the reader waiting for seconds, or never end. It is shown as typed. */
export function isUnreasonable(text: string): boolean {
  if (NESTED.test(text) || />{40}/.test(text)) return true;
  return text.split(/\n[ \t]*\n/).some((block) => (block.match(/[*_~[\]<`]/g)?.length ?? 0) > MOST_SIGNS);
}
