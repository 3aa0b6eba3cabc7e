import type { Field, Question } from '#contract/question';
import type { Chance } from './chance';

/** An answer that the question takes. */
export function answersTo(question: Question, chance: Chance, act: string): { [key: string]: unknown } {
  return Object.fromEntries(question.fields.map((field) => [field.key, valueFor(field, chance, act)]));
}

function valueFor(field: Field, chance: Chance, act: string): unknown {
  const labels = field.options?.map(({ label }) => label);
  if (labels && field.multiSelect) return labels.slice(0, chance.int(1, labels.length));
  if (labels) return field.allowOther && chance.percent(40) ? { other: `Mauve ${act}` } : chance.pick(labels);
  return field.schema ? chance.int(1, 100) : `As ${act} says`;
}

/** And one that it does not. */
export function wrongAnswersTo(question: Question, chance: Chance): { [key: string]: unknown } {
  const [field] = question.fields as [Field];
  const rest = Object.fromEntries(question.fields.slice(1).map(({ key }) => [key, 'Red']));
  const wrong = field.options
    ? chance.pick(['Rde', 'red', ['Red', 'Rde']])
    : field.schema
      ? chance.pick([0, 101, 'seven'])
      : chance.pick(['', { a: 1 }]);
  return { ...rest, [field.key]: wrong, ...(chance.percent(20) ? { nothing: 1 } : {}) };
}
