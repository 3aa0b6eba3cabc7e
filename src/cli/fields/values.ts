import type { Field, Value } from '#contract/question';
import { checkValue } from '#core/answers';
import { controlOf } from '#core/control';
import { choicesOf, type ValueFault, wordsFor } from '#core/value-schema';
import { oneNamed } from './naming';

/** What the flags say of one field. */
export interface Said {
  texts: string[];
  others: string[];
}

export type Made = { ok: true; value: Value } | { ok: false; fault: ValueFault };

/** A value of the kind that the field takes, checked as the server checks it; the words are for a command line. */
export function valueFor(field: Field, said: Said): Made {
  const made = madeOf(field, said);
  if (!made.ok) return made;
  const fault = checkValue(field, made.value);
  return fault ? { ok: false, fault: withoutJson(fault) } : made;
}

function madeOf(field: Field, { texts, others }: Said): Made {
  const { kind } = controlOf(field);
  if (kind === 'one' || kind === 'many') return chosen(field, kind, { texts, others });
  const [text = '', ...more] = texts;
  if (others.length > 0) return faulty('takes no "other": give what you want to say with --field');
  if (more.length > 0) return faulty('takes one value, and was given several');
  if (kind === 'flag') return flag(text);
  if (kind === 'number') return number(field, text);
  return fine(kind === 'line' ? text.trim() : text);
}

function chosen(field: Field, kind: 'one' | 'many', { texts, others }: Said): Made {
  const labels = field.options?.map(({ label }) => label) ?? choicesOf(field.schema) ?? [];
  // Nothing at all is what somebody chooses who wants none of them.
  const picked = texts.filter((text) => text !== '').map((text) => oneNamed(labels, text) ?? text);
  const all = [...picked, ...others.map((other) => ({ other }))];
  if (kind === 'many') return fine(all);
  if (all.length > 1) return { ok: false, fault: { message: 'only one may be chosen', allowed: labels } };
  return fine(all[0] ?? '');
}

const FLAGS: Record<string, boolean> = { yes: true, true: true, no: false, false: false };

function flag(text: string): Made {
  const value = FLAGS[text.trim().toLowerCase()];
  return value === undefined ? faulty('must be yes or no', ['yes', 'no']) : fine(value);
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function number({ schema }: Field, text: string): Made {
  if (NUMBER.test(text.trim())) return fine(Number(text));
  return faulty(
    `must be ${schema ? wordsFor(schema) : 'a number'}, not ${JSON.stringify(text.slice(0, 100))}`,
  );
}

function fine(value: Value): Made {
  return { ok: true, value };
}

function faulty(message: string, allowed?: string[]): Made {
  return { ok: false, fault: { message, ...(allowed && { allowed }) } };
}

/** How to write it over HTTP helps nobody here. */
function withoutJson({ message, ...rest }: ValueFault): ValueFault {
  return { message: message.replaceAll('send {"other": "text"}', 'use --other'), ...rest };
}
