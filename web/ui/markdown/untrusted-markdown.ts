/** In characters. Only a changed section is parsed again; while a text grows, that is the last one. */
const MIN_SECTION_LENGTH = 4_000;

/** Splits a long text at blank lines outside code. Appended text never changes the earlier sections. */
export function splitMarkdown(text: string): string[] {
  const sections: string[] = [];
  let section = '';
  let isCode = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (/^ {0,3}(```|~~~)/.test(line)) isCode = !isCode;
    section += line;
    if (section.length < MIN_SECTION_LENGTH || isCode || line.trim() !== '') continue;
    sections.push(section);
    section = '';
  }
  return section === '' && sections.length > 0 ? sections : [...sections, section];
}

const MAX_MARKUP_CHARACTERS = 400;
const MAX_NESTING = 40;
/** Quotes and lists nested as deep as a line allows. */
const DEEP_NESTING = new RegExp(`^(?:[ \\t]*(?:>|[-+*]|\\d{1,9}[.)])(?=[ \\t>]|$)){${MAX_NESTING}}`, 'm');

/**
 * Returns whether parsing a text, possibly a hostile one, would take seconds or never end. It is then shown as plain
 * text.
 */
export function isTooComplexToParse(text: string): boolean {
  if (DEEP_NESTING.test(text) || />{40}/.test(text)) return true;
  return text.split(/\n[ \t]*\n/).some((block) => (block.match(/[*_~[\]<`]/g)?.length ?? 0) > MAX_MARKUP_CHARACTERS);
}

const ALLOWED_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/** Accepts only absolute URLs, because a relative one would lead into this app. */
export function sanitizeLinkUrl(url: string): string | undefined {
  return URL.canParse(url) && ALLOWED_PROTOCOLS.has(new URL(url).protocol) ? url : undefined;
}
