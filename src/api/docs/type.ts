import type { Schema } from './document';
import { between, type Html, html, type Part } from './html';
import { schemaLink } from './link';

/** What a schema admits, in a few words, with links to the schemas it names. */
export function typeOf(schema: Schema): Part {
  const { $ref, type, items, format, contentSchema } = schema;
  if ($ref) return schemaLink($ref);
  const variants = variantsOf(schema);
  if (variants) return between(' or ', variants.map(typeOf));
  if (contentSchema) return ['stream of ', typeOf(contentSchema)];
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') return ['list of ', listed(items ?? {})];
  if (type === 'object') return objectOf(schema);
  return format ? `${type} (${format})` : (type ?? 'any JSON');
}

export function variantsOf({ anyOf, oneOf }: Schema): Schema[] | undefined {
  return anyOf ?? oneOf;
}

function listed(items: Schema): Part {
  return variantsOf(items) ? ['(', typeOf(items), ')'] : typeOf(items);
}

function objectOf({ properties, additionalProperties: values }: Schema): Part {
  const [only, ...more] = Object.entries(properties ?? {});
  if (only && more.length === 0) return ['{', only[0], ': ', typeOf(only[1]), '}'];
  if (properties) return 'object';
  const isMap = typeof values === 'object' && Object.keys(values).length > 0;
  return isMap ? ['map of ', typeOf(values)] : 'object (any fields)';
}

/** What else has to hold of a value. */
export function limitsOf(schema: Schema): Html[] {
  const limits = [
    ...choicesOf(schema),
    ...rangesOf(schema),
    ...(schema.pattern ? [html`Matches <code>${schema.pattern}</code>`] : []),
    ...(schema.default === undefined ? [] : [html`Default <code>${JSON.stringify(schema.default)}</code>`]),
  ];
  const each = schema.items ? limitsOf(schema.items) : [];
  return [...limits, ...each.map((limit) => html`Each: ${limit}`)];
}

function choicesOf({ enum: choices, const: only }: Schema): Html[] {
  if (only !== undefined) return [html`Always <code>${JSON.stringify(only)}</code>`];
  if (!choices) return [];
  return [
    html`One of ${between(
      ' ',
      choices.map((choice) => html`<code>${String(choice)}</code>`),
    )}`,
  ];
}

function rangesOf(schema: Schema): Html[] {
  return [
    ...range(schema.minLength, schema.maxLength, 'characters'),
    ...range(schema.minItems, schema.maxItems, 'items'),
    ...range(bound(schema.minimum), bound(schema.maximum), ''),
  ];
}

/** Every integer of JavaScript's: no limit at all. */
function bound(limit: number | undefined): number | undefined {
  return Math.abs(limit ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : limit;
}

function range(from: number | undefined, to: number | undefined, unit: string): Html[] {
  const shown = (limit: number) => limit.toLocaleString('en');
  if (from === undefined && to === undefined) return [];
  if (to === undefined) return [html`At least ${shown(from ?? 0)} ${unit}`];
  return [from === undefined ? html`At most ${shown(to)} ${unit}` : html`${shown(from)} to ${shown(to)} ${unit}`];
}
