import type { QuestionField, QuestionOption, TextFormat } from '#contract/question';

/** What a field is answered with: its options decide, else its schema, else it is free text. */
export type FieldControlSpec =
  | { kind: 'one'; options: QuestionOption[]; isMenu: boolean }
  | { kind: 'many'; options: QuestionOption[]; limits: string | undefined }
  | { kind: 'flag' }
  | { kind: 'number'; isInteger: boolean; limits: string | undefined }
  | { kind: 'line'; type: TextInputType; maxLength: number | undefined; limits: string | undefined }
  | { kind: 'text'; maxLength: number | undefined; limits: string | undefined };

export type TextInputType = 'text' | 'email' | 'url' | 'date' | 'datetime-local';

export const INPUT_TYPE_BY_FORMAT: Record<TextFormat, TextInputType> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
};

/** More than that, with nothing said of each, and a list to open serves better than a wall of buttons. */
const MENU_MIN_OPTIONS = 9;
/** Up to that many characters fit on a line. */
const MAX_LINE_LENGTH = 120;

export function chooseControl({ options, multiSelect, schema }: QuestionField): FieldControlSpec {
  if (options) return multiSelect ? { kind: 'many', options, limits: undefined } : singleChoice(options);
  switch (schema?.type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'number':
    case 'integer': {
      const isInteger = schema.type === 'integer';
      return { kind: 'number', isInteger, limits: describeLimits(schema.minimum, schema.maximum) };
    }
    case 'array': {
      const limits = describeLimits(schema.minItems || undefined, schema.maxItems, 'Choose ');
      return { kind: 'many', options: optionsFromLabels(schema.items.enum), limits };
    }
    case 'string':
      return schema.enum ? singleChoice(optionsFromLabels(schema.enum)) : textControl(schema);
    default:
      return { kind: 'text', maxLength: undefined, limits: undefined };
  }
}

function singleChoice(options: QuestionOption[]): FieldControlSpec {
  const isMenu = options.length >= MENU_MIN_OPTIONS && options.every(({ description }) => !description);
  return { kind: 'one', options, isMenu };
}

export function optionsFromLabels(labels: string[]): QuestionOption[] {
  return labels.map((label) => ({ label }));
}

function textControl(schema: {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: TextFormat;
}): FieldControlSpec {
  const { maxLength, minLength, pattern, format } = schema;
  const length = describeLimits(minLength || undefined, maxLength);
  const limits =
    [length && `${length} characters`, pattern && `Must match ${pattern}`].filter(Boolean).join(' · ') || undefined;
  if (format) return { kind: 'line', type: INPUT_TYPE_BY_FORMAT[format], maxLength, limits };
  return maxLength !== undefined && maxLength <= MAX_LINE_LENGTH
    ? { kind: 'line', type: 'text', maxLength, limits }
    : { kind: 'text', maxLength, limits };
}

/** "1 to 10", "At least 3". */
function describeLimits(min: number | undefined, max: number | undefined, prefix = ''): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  const range =
    min === undefined
      ? `at most ${max}`
      : max === undefined
        ? `at least ${min}`
        : min === max
          ? `exactly ${min}`
          : `${min} to ${max}`;
  const sentence = prefix + range;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
