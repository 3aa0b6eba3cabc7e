import { misuse } from '#cli/exit';
import type { Field } from '#contract/question';

/** One of these, as written; else the only one that differs by nothing but capitals. */
export function oneNamed(names: readonly string[], wanted: string): string | undefined {
  if (names.includes(wanted)) return wanted;
  const [only, ...more] = names.filter((name) => name.toLowerCase() === wanted.toLowerCase());
  return more.length === 0 ? only : undefined;
}

/** A field and what it is to hold, from `q1=PostgreSQL`. The name ends at the first `=` that makes it one: texts may have some. */
export function fieldAndValue(
  fields: readonly Field[],
  flag: string,
  given: string,
): { field: Field; value: string } {
  for (let at = given.indexOf('='); at >= 0; at = given.indexOf('=', at + 1)) {
    const field = fieldNamed(fields, given.slice(0, at));
    if (field) return { field, value: given.slice(at + 1) };
  }
  const said = JSON.stringify(given.slice(0, 100));
  const fault = given.includes('=') ? `names no field of this question` : 'has no "="';
  throw misuse(`${flag} ${said} ${fault}. Write name=value, with one of ${namesOf(fields)}.`);
}

function fieldNamed(fields: readonly Field[], name: string): Field | undefined {
  const exact = fields.find(({ key }) => key === name) ?? fields.find(({ question }) => question === name);
  if (exact) return exact;
  const header = oneNamed(
    fields.map((field) => field.header),
    name,
  );
  const headed = fields.filter((field) => field.header === header);
  return headed.length === 1 ? headed[0] : undefined;
}

function namesOf(fields: readonly Field[]): string {
  return fields.map(({ key, header }) => `${key} (${header})`).join(', ');
}
