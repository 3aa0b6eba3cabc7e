import type { Field, Other, Value } from '#contract/question';
import { controlOf } from './control';

/** What somebody has put into one field so far. */
export interface Filling {
  picked: string[];
  isOther: boolean;
  other: string;
  text: string;
}

export type Form = Record<string, Filling>;

export const NOTHING: Filling = { picked: [], isOther: false, other: '', text: '' };

/** Labels that stand for a boolean. */
export const FLAG = { yes: 'Yes', no: 'No' };

/** The form as it is first shown: with the defaults the agent named. */
export function blankForm(fields: readonly Field[]): Form {
  return Object.fromEntries(fields.map((field) => [field.key, fillingOf(field.default)]));
}

/** What stands in a field that has this value. */
export function fillingOf(value: Value | undefined): Filling {
  if (value === undefined) return NOTHING;
  if (typeof value === 'boolean') return { ...NOTHING, picked: [value ? FLAG.yes : FLAG.no] };
  if (typeof value === 'number') return { ...NOTHING, text: String(value) };
  if (typeof value === 'string') return { ...NOTHING, picked: [value], text: value };
  const parts = Array.isArray(value) ? value : [value];
  const other = parts.find((part): part is Other => typeof part === 'object');
  const picked = parts.filter((part) => typeof part === 'string');
  return { ...NOTHING, picked, isOther: other !== undefined, other: other?.other ?? '' };
}

export function isFilled(field: Field, { picked, isOther, text }: Filling): boolean {
  const { kind } = controlOf(field);
  return kind === 'one' || kind === 'many' || kind === 'flag'
    ? picked.length > 0 || isOther
    : text.trim() !== '';
}

export type Read =
  | { ok: true; answers: Record<string, Value> }
  | { ok: false; faults: Record<string, string> };

/** The answer that a form makes. What is missing is said here, in words for people; the rest is for the API to check. */
export function readForm(fields: readonly Field[], form: Form): Read {
  const answers: Record<string, Value> = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    const filling = form[field.key] ?? NOTHING;
    const fault = faultOf(field, filling);
    if (fault) faults[field.key] = fault;
    else if (isFilled(field, filling) || mayBeEmpty(field)) answers[field.key] = answerOf(field, filling);
  }
  return Object.keys(faults).length > 0 ? { ok: false, faults } : { ok: true, answers };
}

function mayBeEmpty({ schema }: Field): boolean {
  if (schema?.type === 'array') return schema.minItems === 0;
  return schema?.type === 'string' && !schema.enum && schema.minLength === 0;
}

function faultOf(field: Field, filling: Filling): string | undefined {
  const { kind } = controlOf(field);
  if (!isFilled(field, filling)) return !field.required || mayBeEmpty(field) ? undefined : MISSING[kind];
  if (filling.isOther && filling.other.trim() === '') return 'Write what “Other” stands for.';
  if (kind === 'number' && numberIn(filling.text) === undefined)
    return 'Write a number in digits, such as 12.5.';
  return undefined;
}

const MISSING = {
  one: 'Choose one.',
  many: 'Choose at least one.',
  flag: 'Choose yes or no.',
  number: 'Write a number.',
  line: 'Fill this in.',
  text: 'Write an answer.',
};

function numberIn(text: string): number | undefined {
  const number = Number(text.trim());
  return text.trim() !== '' && Number.isFinite(number) ? number : undefined;
}

function answerOf(field: Field, { picked, isOther, other, text }: Filling): Value {
  const control = controlOf(field);
  switch (control.kind) {
    case 'one':
      return isOther ? { other } : (picked[0] ?? '');
    case 'many':
      // In the order they were offered, whatever the order of the clicks.
      return [
        ...control.options.map(({ label }) => label).filter((label) => picked.includes(label)),
        ...(isOther ? [{ other }] : []),
      ];
    case 'flag':
      return picked[0] === FLAG.yes;
    case 'number':
      return numberIn(text) ?? text;
    case 'line':
      return control.type === 'datetime-local' ? instant(text) : text.trim();
    case 'text':
      return text;
  }
}

/** The control knows the reader's own time only; the answer names the moment. */
function instant(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString().replace('.000Z', 'Z');
}

/** A moment as the control writes it. */
export function asLocal(text: string): string {
  const date = new Date(text);
  if (!/[zZ]|[+-]\d\d:\d\d$/.test(text) || Number.isNaN(date.getTime())) return text;
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** One option more, or one less; of a single choice the other goes. */
export function pick(filling: Filling, label: string, isMany: boolean): Filling {
  if (!isMany) return { ...filling, picked: [label], isOther: false };
  const has = filling.picked.includes(label);
  const picked = has ? filling.picked.filter((one) => one !== label) : [...filling.picked, label];
  return { ...filling, picked };
}

export function pickOther(filling: Filling, isMany: boolean): Filling {
  return isMany ? { ...filling, isOther: !filling.isOther } : { ...filling, picked: [], isOther: true };
}
