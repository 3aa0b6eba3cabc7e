import type { Call } from './document';
import { type Html, html } from './html';

/** The name of a place on the page, where a heading, a call or a schema stands. */
export const anchorOf = {
  tag: (name: string) => `tag-${name.toLowerCase().replace(/\W+/g, '-')}`,
  schema: (name: string) => `schema-${name}`,
  problem: (code: string) => `error-${code}`,
};

export function schemaLink(ref: string): Html {
  const name = ref.replace(/^.*\//, '');
  return html`<a href="#${anchorOf.schema(name)}">${name}</a>`;
}

export function badge(method: string): Html {
  return html`<span class="method ${method}">${method === 'delete' ? 'del' : method}</span>`;
}

/** A call in a list of calls. */
export function callLink({ operationId, method, summary }: Call): Html {
  return html`<a class="call-link" href="#${operationId}">${badge(method)}<span>${summary}</span></a>`;
}

/** The sign beside a heading that leads to it. */
export function hash(id: string, what: string): Html {
  return html`<a class="hash" href="#${id}" aria-label="Link to ${what}">#</a>`;
}
