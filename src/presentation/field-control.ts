import type { QuestionField, QuestionOption, TextFormat } from '#contract/question';

/** What a field is answered with: its options decide, else its schema, else it is free text. */
export type FieldControlSpec =
  | { kind: 'one'; options: QuestionOption[]; isMenu: boolean }
  | { kind: 'many'; options: QuestionOption[]; limits: string | undefined }
  | { kind: 'flag' }
  | { kind: 'number'; isWhole: boolean; limits: string | undefined }
  | { kind: 'line'; type: TextInputType; most: number | undefined; limits: string | undefined }
  | { kind: 'text'; most: number | undefined; limits: string | undefined };

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
      const isWhole = schema.type === 'integer';
      return { kind: 'number', isWhole, limits: describeLimits(schema.minimum, schema.maximum) };
    }
    case 'array': {
      const limits = describeLimits(schema.minItems || undefined, schema.maxItems, 'Choose ');
      return { kind: 'many', options: optionsFromLabels(schema.items.enum), limits };
    }
    case 'string':
      return schema.enum ? singleChoice(optionsFromLabels(schema.enum)) : textControl(schema);
    default:
      return { kind: 'text', most: undefined, limits: undefined };
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
  const { maxLength: most, minLength, pattern, format } = schema;
  const length = describeLimits(minLength || undefined, most);
  const limits =
    [length && `${length} characters`, pattern && `Must match ${pattern}`].filter(Boolean).join(' · ') || undefined;
  if (format) return { kind: 'line', type: INPUT_TYPE_BY_FORMAT[format], most, limits };
  return most !== undefined && most <= MAX_LINE_LENGTH
    ? { kind: 'line', type: 'text', most, limits }
    : { kind: 'text', most, limits };
}

/** "1 to 10", "At least 3". */
function describeLimits(least: number | undefined, most: number | undefined, before = ''): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  const said =
    least === undefined
      ? `at most ${most}`
      : most === undefined
        ? `at least ${least}`
        : least === most
          ? `exactly ${least}`
          : `${least} to ${most}`;
  const whole = before + said;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}
