import type { Parameter, Schema } from './document';
import { between, type Html, html, type Part, prose } from './html';
import { limitsOf, typeOf, variantsOf } from './type';

interface Field {
  /** Where it stands: `question.`, or `errors[].` within a list. */
  within: string;
  name: string;
  schema: Schema;
  isRequired: boolean;
  description?: string;
}

/** The fields of an object, and of the objects within it that have no name of their own. */
export function fieldsTable(schema: Schema): Html {
  return table('Field', fieldsOf(schema, ''));
}

/** The same of what is received, where most fields are always there and the exception is worth a word. */
export function receivedTable(schema: Schema): Html {
  return table('Field', fieldsOf(schema, ''), OPTIONAL);
}

export function parametersTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, schema, required, description }) => ({
    within: '',
    name,
    schema,
    isRequired: required,
    description,
  }));
  return table('Parameter', rows);
}

function fieldsOf({ properties = {}, required = [] }: Schema, within: string): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { at, inner } = insideOf(schema);
    const field = { within, name, schema, isRequired: required.includes(name) };
    return [field, ...(inner ? fieldsOf(inner, `${within}${name}${at}.`) : [])];
  });
}

/** The object that a field, a list or a nullable field holds, where it is written out in place. */
function insideOf(schema: Schema): { at: string; inner?: Schema } {
  if (schema.items) {
    const { at, inner } = insideOf(schema.items);
    return { at: `[]${at}`, inner };
  }
  const inner = [schema, ...(variantsOf(schema) ?? [])].find(({ properties }) => properties);
  return { at: '', inner };
}

/** The word beside a name, where one is due. */
type Mark = (isRequired: boolean) => Part;
const REQUIRED: Mark = (isRequired) => isRequired && html`<em class="mark required">required</em>`;
const OPTIONAL: Mark = (isRequired) => !isRequired && html`<em class="mark">optional</em>`;

function table(what: string, fields: readonly Field[], mark = REQUIRED): Html {
  return html`<table class="fields"><colgroup><col class="name"><col></colgroup><thead class="unseen"><tr><th scope="col">${what}</th><th scope="col">What it is</th></tr></thead>
<tbody>${fields.map((field) => row(field, mark))}</tbody></table>`;
}

function row({ within, name, schema, isRequired, description = schema.description }: Field, mark: Mark): Html {
  const limits = limitsOf(schema);
  return html`<tr><th scope="row"><code>${within && html`<span class="within">${breakable(within)}</span>`}${name}</code>${mark(isRequired)}</th>
<td><span class="type">${typeOf(schema)}</span>${description && html`<p>${prose(description)}</p>`}
${limits.length > 0 && html`<ul class="limits">${limits.map((limit) => html`<li>${limit}</li>`)}</ul>`}</td></tr>
`;
}

/** A long name breaks after a dot. */
function breakable(name: string): Part {
  return between(html`<wbr>`, name.match(/[^.]+\.?/g) ?? []);
}
