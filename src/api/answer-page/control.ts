import type { QuestionField, QuestionOption } from '#contract/question';
import { describeSchema } from '#core/schema/validate-value';
import { INPUT_TYPE_BY_FORMAT, optionsFromLabels, type TextInputType } from '#presentation/field-control';

/** What a field is answered with: its options decide, else its schema, else it is free text. */
export type Control =
  | { kind: 'one' | 'many'; options: QuestionOption[]; hasOther: boolean; isMenu: boolean }
  | { kind: 'flag' }
  | { kind: 'number'; keyboard: 'decimal' | 'text' }
  | { kind: 'line'; type: TextInputType }
  | { kind: 'text' };

/** More than that, with nothing said of each, and a list to open serves better than a long way to scroll. */
const MENU_FROM = 9;
/** Up to that many characters fit on a line. */
const LINE = 80;

export function controlOf({ options, multiSelect, allowOther, schema }: QuestionField): Control {
  if (options) return choice(multiSelect, options, allowOther);
  switch (schema?.type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'number':
    case 'integer':
      // Keyboards of phones that show digits have no minus.
      return { kind: 'number', keyboard: (schema.minimum ?? -1) >= 0 ? 'decimal' : 'text' };
    case 'array':
      return choice(true, optionsFromLabels(schema.items.enum), false);
    case 'string':
      if (schema.enum) return choice(false, optionsFromLabels(schema.enum), false);
      if (schema.format) return { kind: 'line', type: INPUT_TYPE_BY_FORMAT[schema.format] };
      return (schema.maxLength ?? LINE + 1) <= LINE ? { kind: 'line', type: 'text' } : { kind: 'text' };
    default:
      return { kind: 'text' };
  }
}

function choice(isMany: boolean, options: QuestionOption[], hasOther: boolean): Control {
  const isPlain = options.every(({ description }) => !description);
  const isMenu = !isMany && !hasOther && isPlain && options.length >= MENU_FROM;
  return { kind: isMany ? 'many' : 'one', options, hasOther, isMenu };
}

const ANY = 'Choose any that apply.';

/** What it has to be, where the control does not show it. */
export function hintOf(field: QuestionField, now: number): string | undefined {
  const { schema, multiSelect, options } = field;
  if (options) return multiSelect ? ANY : undefined;
  if (!schema || schema.type === 'boolean') return undefined;
  if (schema.type === 'string' && schema.enum) return undefined;
  if (schema.type === 'array' && !schema.minItems && !schema.maxItems) return ANY;
  const words = `${sentence(describeSchema(schema))}.`;
  const isMoment = schema.type === 'string' && schema.format === 'date-time';
  return isMoment ? `${words} In UTC, where it is now ${new Date(now).toISOString().slice(11, 16)}.` : words;
}

export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
