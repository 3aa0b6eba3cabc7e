import type { Schema } from './document';
import { receivedTable } from './fields';
import { type Html, html, type Part, prose } from './html';
import { anchorOf, hash } from './link';
import { limitsOf, typeOf, variantsOf } from './type';

/** Everything the replies refer to by name. */
export function schemaSections(schemas: Record<string, Schema>): Html {
  return html`<section class="row wide" aria-labelledby="schemas"><div class="text">
<h2 id="schemas">Schemas ${hash('schemas', 'schemas')}</h2>
<p>What replies are made of. Times are RFC 3339 in UTC; a field marked <em class="mark">optional</em> may be
missing.</p>
</div><div class="schemas">${Object.entries(schemas).map(([name, schema]) => section(name, schema))}</div></section>`;
}

function section(name: string, schema: Schema): Html {
  return html`<details class="schema" id="${anchorOf.schema(name)}" open><summary><h3>${name}</h3><span class="type">${kindOf(schema)}</span></summary>
<div class="inside">${schema.description && html`<p>${prose(schema.description)}</p>`}${contents(schema)}</div></details>
`;
}

function kindOf(schema: Schema): Part {
  const variants = variantsOf(schema);
  return variants ? `one of ${variants.length}` : typeOf(schema);
}

function contents(schema: Schema): Part {
  const variants = variantsOf(schema);
  if (variants) return variants.every(({ properties }) => properties) ? comparison(variants) : choices(variants);
  if (schema.properties) return receivedTable(schema);
  return html`<ul class="limits">${limitsOf(schema).map((limit) => html`<li>${limit}</li>`)}</ul>`;
}

function choices(variants: readonly Schema[]): Html {
  return html`<ul class="choices">${variants.map((variant) => html`<li><span class="type">${typeOf(variant)}</span>${isLarge(variant) && receivedTable(variant)}</li>`)}</ul>`;
}

/** An object with a single field is written out in its type. */
function isLarge({ properties = {} }: Schema): boolean {
  return Object.keys(properties).length > 1;
}

/** Objects that are told apart by a field, one a line. */
export function comparison(variants: readonly Schema[]): Html {
  const names = [...new Set(variants.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  return html`<table class="plain"><thead><tr>${names.map((name) => html`<th scope="col"><code>${name}</code></th>`)}</tr></thead>
<tbody>${variants.map(({ properties = {} }) => html`<tr>${names.map((name) => html`<td>${cell(properties[name])}</td>`)}</tr>`)}</tbody></table>`;
}

function cell(schema: Schema | undefined): Part {
  if (!schema) return html`<span class="none">none</span>`;
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  const names = Object.keys(schema.properties ?? {});
  return names.length > 0
    ? html`<code>{${names.join(', ')}}</code>`
    : html`<span class="type">${typeOf(schema)}</span>`;
}
