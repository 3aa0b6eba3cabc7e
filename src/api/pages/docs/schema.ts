import { type Html, type HtmlPart, html, joinHtml, renderProse } from '#infra/html';
import { anchorFor, anchorHash, schemaLink } from './components';
import type { DocsParameter, DocsSchema } from './openapi-document';

/** Everything the replies refer to by name. */
export function schemaSections(schemas: Record<string, DocsSchema>): Html {
  return html`<section class="row wide" aria-labelledby="schemas"><div class="text">
<h2 id="schemas">Schemas ${anchorHash('schemas', 'schemas')}</h2>
<p>What replies are made of. Times are RFC 3339 in UTC; a field marked <em class="mark">optional</em> may be
missing.</p>
</div><div class="schemas">${Object.entries(schemas).map(([name, schema]) => renderSchema(name, schema))}</div></section>`;
}

function renderSchema(name: string, schema: DocsSchema): Html {
  return html`<details class="schema" id="${anchorFor.schema(name)}" open><summary><h3>${name}</h3><span class="type">${renderKind(schema)}</span></summary>
<div class="inside">${schema.description && html`<p>${renderProse(schema.description)}</p>`}${renderContents(schema)}</div></details>
`;
}

function renderKind(schema: DocsSchema): HtmlPart {
  const variants = schemaVariants(schema);
  return variants ? `one of ${variants.length}` : schemaType(schema);
}

function renderContents(schema: DocsSchema): HtmlPart {
  const variants = schemaVariants(schema);
  if (variants) return variants.every(({ properties }) => properties) ? renderComparison(variants) : choices(variants);
  if (schema.properties) return renderReceivedTable(schema);
  return html`<ul class="limits">${schemaLimits(schema).map((limit) => html`<li>${limit}</li>`)}</ul>`;
}

function choices(variants: readonly DocsSchema[]): Html {
  return html`<ul class="choices">${variants.map((variant) => html`<li><span class="type">${schemaType(variant)}</span>${hasSeveralFields(variant) && renderReceivedTable(variant)}</li>`)}</ul>`;
}

/** An object with a single field is written out in its type. */
function hasSeveralFields({ properties = {} }: DocsSchema): boolean {
  return Object.keys(properties).length > 1;
}

/** Objects that are told apart by a field, one a line. */
export function renderComparison(variants: readonly DocsSchema[]): Html {
  const names = [...new Set(variants.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  return html`<table class="plain"><thead><tr>${names.map((name) => html`<th scope="col"><code>${name}</code></th>`)}</tr></thead>
<tbody>${variants.map(({ properties = {} }) => html`<tr>${names.map((name) => html`<td>${renderCell(properties[name])}</td>`)}</tr>`)}</tbody></table>`;
}

function renderCell(schema: DocsSchema | undefined): HtmlPart {
  if (!schema) return html`<span class="none">none</span>`;
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  const names = Object.keys(schema.properties ?? {});
  return names.length > 0
    ? html`<code>{${names.join(', ')}}</code>`
    : html`<span class="type">${schemaType(schema)}</span>`;
}

interface Field {
  /** The path of its parent: `question.`, or `errors[].` for a list. */
  parentPath: string;
  name: string;
  schema: DocsSchema;
  isRequired: boolean;
  description?: string;
}

/** The fields of an object, and of the objects within it that have no name of their own. */
export function renderFieldsTable(schema: DocsSchema): Html {
  return renderTable('Field', fieldsOf(schema, ''));
}

/** The same of what is received, where most fields are always there and the exception is worth a word. */
function renderReceivedTable(schema: DocsSchema): Html {
  return renderTable('Field', fieldsOf(schema, ''), MARK_OPTIONAL);
}

export function renderParametersTable(parameters: readonly DocsParameter[]): Html {
  const rows = parameters.map(({ name, schema, required, description }) => ({
    parentPath: '',
    name,
    schema,
    isRequired: required,
    description,
  }));
  return renderTable('Parameter', rows);
}

function fieldsOf({ properties = {}, required = [] }: DocsSchema, parentPath: string): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { suffix, inner } = nestedObject(schema);
    const field = { parentPath, name, schema, isRequired: required.includes(name) };
    return [field, ...(inner ? fieldsOf(inner, `${parentPath}${name}${suffix}.`) : [])];
  });
}

/** The object that a field, a list or a nullable field holds, where it is written out in place. */
function nestedObject(schema: DocsSchema): { suffix: string; inner?: DocsSchema } {
  if (schema.items) {
    const { suffix, inner } = nestedObject(schema.items);
    return { suffix: `[]${suffix}`, inner };
  }
  const inner = [schema, ...(schemaVariants(schema) ?? [])].find(({ properties }) => properties);
  return { suffix: '', inner };
}

/** The mark beside a field name, if any. */
type FieldMark = (isRequired: boolean) => HtmlPart;
const MARK_REQUIRED: FieldMark = (isRequired) => isRequired && html`<em class="mark required">required</em>`;
const MARK_OPTIONAL: FieldMark = (isRequired) => !isRequired && html`<em class="mark">optional</em>`;

function renderTable(heading: string, fields: readonly Field[], mark = MARK_REQUIRED): Html {
  return html`<table class="fields"><colgroup><col class="name"><col></colgroup><thead class="unseen"><tr><th scope="col">${heading}</th><th scope="col">What it is</th></tr></thead>
<tbody>${fields.map((field) => renderRow(field, mark))}</tbody></table>`;
}

function renderRow(
  { parentPath, name, schema, isRequired, description = schema.description }: Field,
  mark: FieldMark,
): Html {
  const limits = schemaLimits(schema);
  return html`<tr><th scope="row"><code>${parentPath && html`<span class="within">${withLineBreaks(parentPath)}</span>`}${name}</code>${mark(isRequired)}</th>
<td><span class="type">${schemaType(schema)}</span>${description && html`<p>${renderProse(description)}</p>`}
${limits.length > 0 && html`<ul class="limits">${limits.map((limit) => html`<li>${limit}</li>`)}</ul>`}</td></tr>
`;
}

/** A long name breaks after a dot. */
function withLineBreaks(name: string): HtmlPart {
  return joinHtml(html`<wbr>`, name.match(/[^.]+\.?/g) ?? []);
}

/** What a schema admits, in a few words, with links to the schemas it names. */
export function schemaType(schema: DocsSchema): HtmlPart {
  const { $ref, type, items, format, contentSchema } = schema;
  if ($ref) return schemaLink($ref);
  const variants = schemaVariants(schema);
  if (variants) return joinHtml(' or ', variants.map(schemaType));
  if (contentSchema) return ['stream of ', schemaType(contentSchema)];
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') return ['list of ', itemType(items ?? {})];
  if (type === 'object') return objectType(schema);
  return format ? `${type} (${format})` : (type ?? 'any JSON');
}

function schemaVariants({ anyOf, oneOf }: DocsSchema): DocsSchema[] | undefined {
  return anyOf ?? oneOf;
}

function itemType(items: DocsSchema): HtmlPart {
  return schemaVariants(items) ? ['(', schemaType(items), ')'] : schemaType(items);
}

function objectType({ properties, additionalProperties: values }: DocsSchema): HtmlPart {
  const [single, ...more] = Object.entries(properties ?? {});
  if (single && more.length === 0) return ['{', single[0], ': ', schemaType(single[1]), '}'];
  if (properties) return 'object';
  const isMap = typeof values === 'object' && Object.keys(values).length > 0;
  return isMap ? ['map of ', schemaType(values)] : 'object (any fields)';
}

/** What else has to hold of a value. */
function schemaLimits(schema: DocsSchema): Html[] {
  const limits = [
    ...renderAllowedValues(schema),
    ...renderRanges(schema),
    ...(schema.pattern ? [html`Matches <code>${schema.pattern}</code>`] : []),
    ...(schema.default === undefined ? [] : [html`Default <code>${JSON.stringify(schema.default)}</code>`]),
  ];
  const each = schema.items ? schemaLimits(schema.items) : [];
  return [...limits, ...each.map((limit) => html`Each: ${limit}`)];
}

function renderAllowedValues({ enum: choices, const: single }: DocsSchema): Html[] {
  if (single !== undefined) return [html`Always <code>${JSON.stringify(single)}</code>`];
  if (!choices) return [];
  return [
    html`One of ${joinHtml(
      ' ',
      choices.map((choice) => html`<code>${String(choice)}</code>`),
    )}`,
  ];
}

function renderRanges(schema: DocsSchema): Html[] {
  return [
    ...renderRange(schema.minLength, schema.maxLength, 'characters'),
    ...renderRange(schema.minItems, schema.maxItems, 'items'),
    ...renderRange(finiteLimit(schema.minimum), finiteLimit(schema.maximum), ''),
  ];
}

/** Every integer of JavaScript's: no limit at all. */
function finiteLimit(limit: number | undefined): number | undefined {
  return Math.abs(limit ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : limit;
}

function renderRange(from: number | undefined, to: number | undefined, unit: string): Html[] {
  const format = (limit: number) => limit.toLocaleString('en');
  if (from === undefined && to === undefined) return [];
  if (to === undefined) return [html`At least ${format(from ?? 0)} ${unit}`];
  return [from === undefined ? html`At most ${format(to)} ${unit}` : html`${format(from)} to ${format(to)} ${unit}`];
}
