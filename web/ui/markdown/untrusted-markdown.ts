/** In characters. A part is parsed anew when it changes, and while a text is written only the last one does. */
const MIN_SECTION_LENGTH = 4_000;

/** A long text cut at blank lines, outside of code. The same text to come gives the same parts before it. */
export function splitMarkdown(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let isCode = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (/^ {0,3}(```|~~~)/.test(line)) isCode = !isCode;
    part += line;
    if (part.length < MIN_SECTION_LENGTH || isCode || line.trim() !== '') continue;
    parts.push(part);
    part = '';
  }
  return part === '' && parts.length > 0 ? parts : [...parts, part];
}

const MAX_MARKS = 400;
const MAX_NESTING = 40;
/** Quotes and lists within each other, as deep as a line can make them. */
const DEEP_NESTING = new RegExp(`^(?:[ \\t]*(?:>|[-+*]|\\d{1,9}[.)])(?=[ \\t>]|$)){${MAX_NESTING}}`, 'm');

/** Made to be hard, or as good as: parsed it would keep the reader waiting for seconds, or never end. It is shown as typed. */
export function isTooComplexToParse(text: string): boolean {
  if (DEEP_NESTING.test(text) || />{40}/.test(text)) return true;
  return text.split(/\n[ \t]*\n/).some((block) => (block.match(/[*_~[\]<`]/g)?.length ?? 0) > MAX_MARKS);
}

const ALLOWED_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/** Only whole addresses: what is relative would lead into this app. */
export function sanitizeLinkUrl(url: string): string | undefined {
  return URL.canParse(url) && ALLOWED_PROTOCOLS.has(new URL(url).protocol) ? url : undefined;
}
