import { type Html, type HtmlPart, html } from '#infra/html';
import type { DocsOperation } from './openapi-document';

/** Text with what a pattern's named groups find wrapped in a class of the same name. */
function highlight(text: string, tokens: RegExp): HtmlPart {
  const parts: HtmlPart[] = [];
  let position = 0;
  for (const { 0: token, index, groups = {} } of text.matchAll(tokens)) {
    const name = Object.keys(groups).find((group) => groups[group] !== undefined);
    parts.push(text.slice(position, index), html`<span class="${name}">${token}</span>`);
    position = index + token.length;
  }
  return [...parts, text.slice(position)];
}

const JSON_TOKENS =
  /(?<key>"(?:\\.|[^"\\])*"(?=\s*:))|(?<string>"(?:\\.|[^"\\])*")|(?<number>-?\b\d[\d.eE+-]*)|(?<word>\b(?:true|false|null)\b)/g;
const STREAM_TOKENS = new RegExp(`(?<field>^(?:id|event|data)(?=:))|${JSON_TOKENS.source}`, 'gm');
const SHELL_TOKENS = /(?<word>^curl\b)|(?<string>'[^']*'|"[^"]*")|(?<number>(?<=\s)--?[A-Za-z][\w-]*)/gm;

export function renderShell(text: string): HtmlPart {
  return highlight(text, SHELL_TOKENS);
}

/** An example as a reply would show it: a stream is text already. */
export function renderExample(value: unknown): HtmlPart {
  return typeof value === 'string' ? highlight(value.trim(), STREAM_TOKENS) : highlight(prettyJson(value), JSON_TOKENS);
}

/** A dark panel of code under a caption. It can be scrolled from the keyboard. */
export function renderPanel(caption: HtmlPart, code: HtmlPart): Html {
  return html`<figure class="panel"><figcaption>${caption}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}

const MAX_LINE_WIDTH = 56;

/** JSON over several lines, with what is short kept on one. */
export function prettyJson(value: unknown, indent = '', usedWidth = 0): string {
  const line = toSingleLine(value);
  const isShort = indent !== '' && indent.length + usedWidth + line.length <= MAX_LINE_WIDTH;
  if (isShort || typeof value !== 'object' || value === null || line.length <= 2) return line;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Array.isArray(value)
    ? value.map((item) => deeper + prettyJson(item, deeper))
    : Object.entries(value).map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        return deeper + name + prettyJson(item, deeper, name.length);
      });
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function toSingleLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toSingleLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${toSingleLine(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** The name of a place on the page, where a heading, a call or a schema stands. */
export const anchorFor = {
  tag: (name: string) => `tag-${name.toLowerCase().replace(/\W+/g, '-')}`,
  schema: (name: string) => `schema-${name}`,
  problem: (code: string) => `error-${code}`,
};

export function schemaLink(ref: string): Html {
  const name = ref.replace(/^.*\//, '');
  return html`<a href="#${anchorFor.schema(name)}">${name}</a>`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method}">${method === 'delete' ? 'del' : method}</span>`;
}

/** A call in a list of calls. */
export function operationLink({ operationId, method, summary }: DocsOperation): Html {
  return html`<a class="call-link" href="#${operationId}">${methodBadge(method)}<span>${summary}</span></a>`;
}

/** The sign beside a heading that leads to it. */
export function anchorHash(id: string, label: string): Html {
  return html`<a class="hash" href="#${id}" aria-label="Link to ${label}">#</a>`;
}

/** A section that explains: words on the left, what they look like on the right. */
export function renderGuide(id: string, title: string, text: HtmlPart, aside: HtmlPart): Html {
  return html`<section class="row" id="${id}" aria-labelledby="${id}-title"><div class="text">
<h2 id="${id}-title">${title} ${anchorHash(id, title)}</h2>
${text}
</div><div class="side">${aside}</div></section>
`;
}
