import type { Field, Option } from '#contract/question';
import type { Format } from '#contract/value-schema';

/** What a field is answered with: its options decide, else its schema, else it is free text. */
export type Control =
  | { kind: 'one'; options: Option[]; isMenu: boolean }
  | { kind: 'many'; options: Option[]; limits: string | undefined }
  | { kind: 'flag' }
  | { kind: 'number'; isWhole: boolean; limits: string | undefined }
  | { kind: 'line'; type: LineType; most: number | undefined; limits: string | undefined }
  | { kind: 'text'; most: number | undefined; limits: string | undefined };

export type LineType = 'text' | 'email' | 'url' | 'date' | 'datetime-local';

export const LINE_TYPES: Record<Format, LineType> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
};

/** More than that, with nothing said of each, and a list to open serves better than a wall of buttons. */
const MENU_FROM = 9;
/** Up to that many characters fit on a line. */
const LINE = 120;

export function controlOf({ options, multiSelect, schema }: Field): Control {
  if (options) return multiSelect ? { kind: 'many', options, limits: undefined } : one(options);
  switch (schema?.type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'number':
    case 'integer': {
      const isWhole = schema.type === 'integer';
      return { kind: 'number', isWhole, limits: range(schema.minimum, schema.maximum) };
    }
    case 'array': {
      const limits = range(schema.minItems || undefined, schema.maxItems, 'Choose ');
      return { kind: 'many', options: labelled(schema.items.enum), limits };
    }
    case 'string':
      return schema.enum ? one(labelled(schema.enum)) : text(schema);
    default:
      return { kind: 'text', most: undefined, limits: undefined };
  }
}

function one(options: Option[]): Control {
  const isMenu = options.length >= MENU_FROM && options.every(({ description }) => !description);
  return { kind: 'one', options, isMenu };
}

export function labelled(labels: string[]): Option[] {
  return labels.map((label) => ({ label }));
}

function text(schema: {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: Format;
}): Control {
  const { maxLength: most, minLength, pattern, format } = schema;
  const length = range(minLength || undefined, most);
  const limits =
    [length && `${length} characters`, pattern && `Must match ${pattern}`].filter(Boolean).join(' · ') ||
    undefined;
  if (format) return { kind: 'line', type: LINE_TYPES[format], most, limits };
  return most !== undefined && most <= LINE
    ? { kind: 'line', type: 'text', most, limits }
    : { kind: 'text', most, limits };
}

/** "1 to 10", "At least 3". */
function range(least: number | undefined, most: number | undefined, before = ''): string | undefined {
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
