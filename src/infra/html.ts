/** Text that is already HTML. Everything else is escaped. */
export class Html {
  constructor(private readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

export type HtmlPart = Html | string | number | false | null | undefined | readonly HtmlPart[];

export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.map((string, index) => string + renderPart(parts[index])).join(''));
}

/** Joins parts with a separator. */
export function joinHtml(separator: HtmlPart, parts: readonly HtmlPart[]): HtmlPart {
  return parts.map((part, index) => (index === 0 ? part : [separator, part]));
}

function renderPart(part: HtmlPart): string {
  if (part === undefined || part === null || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(renderPart).join('');
  return escapeHtml(String(part));
}

const HTML_ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? '');
}
