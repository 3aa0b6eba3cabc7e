import type { Field, Option, Question } from '#contract/question';
import { choicesOf } from '#core/value-schema';

/** What there is to choose from; nothing where the answer is written. */
export function choicesIn(field: Field): Option[] {
  return field.options ?? choicesOf(field.schema)?.map((label) => ({ label })) ?? [];
}

export function takesSeveral({ multiSelect, schema }: Field): boolean {
  return multiSelect || schema?.type === 'array';
}

/** May a choice be named by its number? Not where that could be a label, nor where a yes lets something happen. */
export function isNumbered({ confirms }: Question, field: Field): boolean {
  return !confirms && !choicesIn(field).some(({ label }) => /^\W*\d+\W*$/.test(label));
}
