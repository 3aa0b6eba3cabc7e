import type { QuestionField, QuestionOption, TextFormat } from '#contract/question';
import { describeSchema } from '#core/schema/describe-schema';
import { STRING_FORMATS } from '#core/schema/formats';
import { toSentence } from './labels';

/** Labels that stand for a boolean. */
export const BOOLEAN_LABELS = { yes: 'Yes', no: 'No' };

/** The control for a field, on every surface. */
export type FieldControlSpec =
  | { kind: 'one' | 'many'; options: QuestionOption[]; hasOther: boolean; isMenu: boolean }
  | { kind: 'flag'; options: QuestionOption[] }
  | { kind: 'number'; inputMode: 'numeric' | 'decimal' | 'text' }
  | { kind: 'line'; type: TextInputType }
  | { kind: 'text'; maxLength: number | undefined };

export type TextInputType = 'text' | 'email' | 'url' | 'date' | 'datetime-local';

const INPUT_TYPE_BY_FORMAT: Record<TextFormat, TextInputType> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
};

/** Up to this length, a text fits on one line. */
const MAX_LINE_LENGTH = 120;

/** Returns the control for a field: by its options, else by its schema; free text if it has neither. */
export function chooseControl({ options, multiSelect, allowOther, schema }: QuestionField): FieldControlSpec {
  if (options) return choiceControl(multiSelect, options, allowOther);
  switch (schema?.type) {
    case 'boolean':
      return { kind: 'flag', options: toOptions(Object.values(BOOLEAN_LABELS)) };
    case 'number':
    case 'integer': {
      // The number keyboards of phones have no minus.
      const canBeNegative = (schema.minimum ?? -1) < 0;
      return { kind: 'number', inputMode: canBeNegative ? 'text' : schema.type === 'integer' ? 'numeric' : 'decimal' };
    }
    case 'array':
      return choiceControl(true, toOptions(schema.items.enum), false);
    case 'string': {
      const { format, maxLength } = schema;
      if (schema.enum) return choiceControl(false, toOptions(schema.enum), false);
      if (format) return { kind: 'line', type: INPUT_TYPE_BY_FORMAT[format] };
      const isShort = maxLength !== undefined && maxLength <= MAX_LINE_LENGTH;
      return isShort ? { kind: 'line', type: 'text' } : { kind: 'text', maxLength };
    }
    default:
      return { kind: 'text', maxLength: undefined };
  }
}

/** Returns whether several options may be chosen. */
export function isMultiSelectField(field: QuestionField): boolean {
  return chooseControl(field).kind === 'many';
}

/** From this number on, options without descriptions fit a menu better than a row of buttons. */
const MENU_MIN_OPTIONS = 9;

function choiceControl(isMultiple: boolean, options: QuestionOption[], hasOther: boolean): FieldControlSpec {
  const isPlain = options.every(({ description }) => !description);
  const isMenu = !isMultiple && isPlain && options.length >= MENU_MIN_OPTIONS;
  return { kind: isMultiple ? 'many' : 'one', options, hasOther, isMenu };
}

function toOptions(labels: string[]): QuestionOption[] {
  return labels.map((label) => ({ label }));
}

const SELECT_ALL = 'Select all that apply.';
const SHOWN_BY_CONTROL = ['text', 'choose one'];

/** Returns what the value must be, as a sentence; undefined if the control shows it. */
export function describeRequirement({ schema, multiSelect, options }: QuestionField): string | undefined {
  if (options) return multiSelect ? SELECT_ALL : undefined;
  const description = schema && schema.type !== 'boolean' ? describeSchema(schema) : undefined;
  if (description === 'choose any') return SELECT_ALL;
  return description === undefined || SHOWN_BY_CONTROL.includes(description) ? undefined : toSentence(description);
}

const SHOWN_BY_BROWSER = Object.values(STRING_FORMATS).map(({ description }) => toSentence(description));

/** As `describeRequirement`, but shorter: browsers have controls for numbers, dates and addresses. */
export function describeBrowserRequirement(field: QuestionField): string | undefined {
  const requirement = describeRequirement(field);
  if (requirement === undefined || SHOWN_BY_BROWSER.includes(requirement)) return undefined;
  return requirement
    .replace(/^A (?:whole )?number from /, '')
    .replace(/^A (?:whole )?number of at (least|most) (.+)\.$/, (_, limit, number) =>
      limit === 'least' ? `${number} or more.` : `${number} or less.`,
    );
}
