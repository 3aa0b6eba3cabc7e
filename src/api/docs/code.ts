import { type Html, html, type Part } from './html';

/** Text with what a pattern's named groups find wrapped in a class of the same name. */
function paint(text: string, tokens: RegExp): Part {
  const parts: Part[] = [];
  let done = 0;
  for (const { 0: token, index, groups = {} } of text.matchAll(tokens)) {
    const name = Object.keys(groups).find((group) => groups[group] !== undefined);
    parts.push(text.slice(done, index), html`<span class="${name}">${token}</span>`);
    done = index + token.length;
  }
  return [...parts, text.slice(done)];
}

const JSON_TOKENS =
  /(?<key>"(?:\\.|[^"\\])*"(?=\s*:))|(?<string>"(?:\\.|[^"\\])*")|(?<number>-?\b\d[\d.eE+-]*)|(?<word>\b(?:true|false|null)\b)/g;
const STREAM_TOKENS = new RegExp(`(?<field>^(?:id|event|data)(?=:))|${JSON_TOKENS.source}`, 'gm');
const SHELL_TOKENS = /(?<word>^curl\b)|(?<string>'[^']*'|"[^"]*")|(?<number>(?<=\s)--?[A-Za-z][\w-]*)/gm;

export function shell(text: string): Part {
  return paint(text, SHELL_TOKENS);
}

/** An example as a reply would show it: a stream is text already. */
export function example(value: unknown): Part {
  return typeof value === 'string' ? paint(value.trim(), STREAM_TOKENS) : paint(pretty(value), JSON_TOKENS);
}

/** A dark panel of code under a caption. It can be scrolled from the keyboard. */
export function panel(caption: Part, code: Part): Html {
  return html`<figure class="panel"><figcaption>${caption}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}

const WIDTH = 56;

/** JSON over several lines, with what is short kept on one. */
export function pretty(value: unknown, indent = '', used = 0): string {
  const line = flat(value);
  const isShort = indent !== '' && indent.length + used + line.length <= WIDTH;
  if (isShort || typeof value !== 'object' || value === null || line.length <= 2) return line;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Array.isArray(value)
    ? value.map((item) => deeper + pretty(item, deeper))
    : Object.entries(value).map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        return deeper + name + pretty(item, deeper, name.length);
      });
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function flat(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${flat(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
