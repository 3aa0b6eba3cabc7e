import type { AnswerValue, OtherAnswer, QuestionField } from '#contract/question';
import { BOOLEAN_LABELS, chooseControl } from './field-control';

/** The current input of one field. */
export interface FieldInput {
  picked: string[];
  isOther: boolean;
  other: string;
  text: string;
}

export type FormState = Record<string, FieldInput>;

export const EMPTY_FIELD: FieldInput = { picked: [], isOther: false, other: '', text: '' };

/** Creates the initial form, with the agent's defaults. */
export function createFormState(fields: readonly QuestionField[]): FormState {
  return Object.fromEntries(fields.map((field) => [field.key, fieldInputFromValue(field.default)]));
}

/** Returns the input that shows this value. */
export function fieldInputFromValue(value: AnswerValue | undefined): FieldInput {
  if (value === undefined) return EMPTY_FIELD;
  if (typeof value === 'boolean') return { ...EMPTY_FIELD, picked: [value ? BOOLEAN_LABELS.yes : BOOLEAN_LABELS.no] };
  if (typeof value === 'number') return { ...EMPTY_FIELD, text: String(value) };
  if (typeof value === 'string') return { ...EMPTY_FIELD, picked: [value], text: value };
  const parts = Array.isArray(value) ? value : [value];
  const other = parts.find((part): part is OtherAnswer => typeof part === 'object');
  const picked = parts.filter((part) => typeof part === 'string');
  return { ...EMPTY_FIELD, picked, isOther: other !== undefined, other: other?.other ?? '' };
}

export function isFieldFilled(field: QuestionField, { picked, isOther, text }: FieldInput): boolean {
  return 'options' in chooseControl(field) ? picked.length > 0 || isOther : text.trim() !== '';
}

export type FormResult =
  | { ok: true; answers: Record<string, AnswerValue> }
  | { ok: false; issues: Record<string, string> };

/** Parses the form into answers. Reports what is missing in plain words; the API checks the rest. */
export function parseForm(fields: readonly QuestionField[], form: FormState): FormResult {
  const answers: Record<string, AnswerValue> = {};
  const issues: Record<string, string> = {};
  for (const field of fields) {
    const result = parseFieldInput(field, form[field.key] ?? EMPTY_FIELD);
    if (!result.ok) issues[field.key] = result.issue;
    else if (result.value !== undefined) answers[field.key] = result.value;
  }
  return Object.keys(issues).length > 0 ? { ok: false, issues } : { ok: true, answers };
}

/** The value is undefined if an optional field was left empty. */
export type FieldInputResult = { ok: true; value: AnswerValue | undefined } | { ok: false; issue: string };

/**
 * Parses the input of one field. A date-time control has no time zone, so the caller passes how to convert its text.
 */
export function parseFieldInput(
  field: QuestionField,
  input: FieldInput,
  toInstant: (text: string) => string = localTimeToInstant,
): FieldInputResult {
  const control = chooseControl(field);
  const { text } = input;
  if (!isFieldFilled(field, input)) {
    if (canBeEmpty(field)) return { ok: true, value: control.kind === 'many' ? [] : '' };
    return field.required ? { ok: false, issue: MISSING_MESSAGES[control.kind] } : { ok: true, value: undefined };
  }
  switch (control.kind) {
    case 'one':
    case 'many':
    case 'flag':
      return parseChoice(control, input);
    case 'number': {
      const value = parseDecimal(text);
      return value === undefined ? { ok: false, issue: 'Enter a number, such as 12.5.' } : { ok: true, value };
    }
    case 'line':
      return { ok: true, value: control.type === 'datetime-local' ? toInstant(text.trim()) : text.trim() };
    case 'text':
      return { ok: true, value: text };
  }
}

function canBeEmpty({ schema }: QuestionField): boolean {
  if (schema?.type === 'array') return schema.minItems === 0;
  return schema?.type === 'string' && !schema.enum && schema.minLength === 0;
}

const MISSING_MESSAGES = {
  one: 'Choose one.',
  many: 'Choose at least one.',
  flag: 'Choose yes or no.',
  number: 'Enter a number.',
  line: 'Required.',
  text: 'Enter an answer.',
};

type ChoiceControl = Extract<ReturnType<typeof chooseControl>, { options: unknown }>;

function parseChoice({ kind, options }: ChoiceControl, { picked, isOther, other }: FieldInput): FieldInputResult {
  const labels = options.map(({ label }) => label);
  if (picked.some((label) => !labels.includes(label)))
    return { ok: false, issue: kind === 'flag' ? MISSING_MESSAGES.flag : 'Choose one of the options.' };
  if (isOther && other.trim() === '') return { ok: false, issue: 'Describe “Other”.' };
  if (kind === 'flag') return { ok: true, value: picked[0] === BOOLEAN_LABELS.yes };
  if (kind === 'one') return { ok: true, value: isOther ? { other: other.trim() } : (picked[0] ?? '') };
  // In the order offered, not in the order of the clicks.
  const chosen = labels.filter((label) => picked.includes(label));
  return { ok: true, value: isOther ? [...chosen, { other: other.trim() }] : chosen };
}

/** Parses a decimal number; rejects hexadecimal and infinite values. */
export function parseDecimal(text: string): number | undefined {
  const digits = text.trim();
  const isDecimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits);
  return isDecimal && Number.isFinite(Number(digits)) ? Number(digits) : undefined;
}

function localTimeToInstant(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().replace('.000Z', 'Z');
}

/** Formats a time for a date-time control: in the reader's time zone, or in UTC if rendered by the server. */
export function toDateTimeInput(text: string, zone: 'local' | 'utc' = 'local'): string {
  const date = new Date(text);
  if (!/([zZ]|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(date.getTime())) return text;
  const offsetMs = zone === 'utc' ? 0 : date.getTimezoneOffset() * 60_000;
  return new Date(date.getTime() - offsetMs).toISOString().slice(0, 19).replace(/:00$/, '');
}

/** Adds or removes an option; in a single choice, it replaces the current one. */
export function toggleOption(input: FieldInput, label: string, isMultiple: boolean): FieldInput {
  if (!isMultiple) return { ...input, picked: [label], isOther: false };
  const isPicked = input.picked.includes(label);
  const picked = isPicked ? input.picked.filter((option) => option !== label) : [...input.picked, label];
  return { ...input, picked };
}

export function toggleOther(input: FieldInput, isMultiple: boolean): FieldInput {
  return isMultiple ? { ...input, isOther: !input.isOther } : { ...input, picked: [], isOther: true };
}
