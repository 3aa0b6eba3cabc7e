import type { Field, Value } from '#contract/question';
import { choicesOf } from '#core/value-schema';

/** One thing to choose: Slack hands back its place in the list, whatever its label holds. */
export interface Choice {
  /** Its place in the question, also where not all are offered. */
  index: number;
  label: string;
  description?: string;
  value: string | boolean;
}

/** What there is to choose from, if anything. */
export function choicesFor({ options, schema }: Field): Choice[] | undefined {
  if (options)
    return options.map(({ label, description }, index) => ({ index, label, description, value: label }));
  if (schema?.type === 'boolean')
    return [
      { index: 0, label: 'Yes', value: true },
      { index: 1, label: 'No', value: false },
    ];
  return choicesOf(schema)?.map((label, index) => ({ index, label, value: label }));
}

export function takesSeveral({ multiSelect, schema }: Field): boolean {
  return multiSelect || schema?.type === 'array';
}

/** Is it chosen beforehand? */
export function isChosen({ value }: Choice, given: Value | undefined): boolean {
  return Array.isArray(given) ? given.includes(value as string) : given === value;
}
