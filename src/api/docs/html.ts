import { escapeHtml } from '#infra/html';

/** Text that is HTML already. Everything else is escaped on its way into the page. */
export class Html {
  constructor(private readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

export type Part = Html | string | number | false | null | undefined | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, at) => string + write(parts[at])).join(''));
}

/** Parts with something between them. */
export function between(separator: Part, parts: readonly Part[]): Part {
  return parts.map((part, at) => (at === 0 ? part : [separator, part]));
}

/** As much of Markdown as descriptions use: `code` and **bold**. */
export function prose(text: string): Html {
  const marked = escapeHtml(text).replace(/`([^`]+)`|\*\*([^*]+)\*\*/g, (_all, code?: string, bold?: string) =>
    code === undefined ? `<strong>${bold}</strong>` : `<code>${code}</code>`,
  );
  return new Html(marked);
}

/** One paragraph for each block of text. */
export function paragraphs(text = ''): Part {
  return text
    .split(/\n\s*\n/)
    .filter((block) => block.trim() !== '')
    .map((block) => html`<p>${prose(block)}</p>`);
}

function write(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(write).join('');
  return escapeHtml(String(part));
}
