import type { Field, Value } from '../../contract/question';
import { choicesOf } from '../../core/value-schema';

/** One thing to choose: Slack hands back its place in the list, whatever its label holds. */
export interface Choice {
  label: string;
  description?: string;
  value: string | boolean;
}

/** What there is to choose from, if anything. */
export function choicesFor({ options, schema }: Field): Choice[] | undefined {
  if (options) return options.map(({ label, description }) => ({ label, description, value: label }));
  if (schema?.type === 'boolean')
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ];
  return choicesOf(schema)?.map((label) => ({ label, value: label }));
}

export function takesSeveral({ multiSelect, schema }: Field): boolean {
  return multiSelect || schema?.type === 'array';
}

/** Which of them are chosen beforehand. */
export function chosenIn(choices: Choice[], value: Value | undefined): number[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return choices.flatMap((choice, index) => (values.includes(choice.value) ? [index] : []));
}
