import type { Field, Value } from '#contract/question';
import type { Saying } from './deed';

const OTHER = /^other\s*:\s*(\S.*)$/is;

/** People talk in a thread: only what names an option, or says that it is something else, chooses anything. */
export function namedChoice(field: Field, text: string): Saying {
  const choice = optionNamed(field, text) ?? otherIn(field, text);
  if (choice !== undefined) return { answer: field.multiSelect ? [choice] : choice };
  const own = field.allowOther ? ', or “Other: ” and your own words' : '';
  return {
    misfit: `Choose one of the options: use the message above, or reply with exactly one of them${own}. Other replies here are left alone.`,
  };
}

/** As it is written, or else as it is said. */
function optionNamed({ options = [] }: Field, text: string): string | undefined {
  const labels = options.map(({ label }) => label);
  if (labels.includes(text)) return text;
  const [only, ...more] = labels.filter((label) => asSaid(label) === asSaid(text));
  return more.length === 0 ? only : undefined;
}

function asSaid(text: string): string {
  return text
    .trim()
    .replace(/[.!]+$/, '')
    .trimEnd()
    .toLowerCase();
}

function otherIn({ allowOther }: Field, text: string): Value | undefined {
  const other = OTHER.exec(text)?.[1]?.trim();
  return allowOther && other ? { other } : undefined;
}
