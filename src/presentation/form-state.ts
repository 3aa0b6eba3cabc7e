import type { AnswerValue, OtherAnswer, QuestionField } from '#contract/question';
import { chooseControl } from './field-control';

/** The input of one field so far. */
export interface FieldInput {
  picked: string[];
  isOther: boolean;
  other: string;
  text: string;
}

export type FormState = Record<string, FieldInput>;

export const EMPTY_FIELD: FieldInput = { picked: [], isOther: false, other: '', text: '' };

/** Labels that stand for a boolean. */
export const BOOLEAN_LABELS = { yes: 'Yes', no: 'No' };

/** The form as it is first shown: with the defaults the agent named. */
export function createFormState(fields: readonly QuestionField[]): FormState {
  return Object.fromEntries(fields.map((field) => [field.key, fieldInputFromValue(field.default)]));
}

/** The input that shows this value. */
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
  const { kind } = chooseControl(field);
  return kind === 'one' || kind === 'many' || kind === 'flag' ? picked.length > 0 || isOther : text.trim() !== '';
}

export type FormResult =
  | { ok: true; answers: Record<string, AnswerValue> }
  | { ok: false; issues: Record<string, string> };

/** Parses the form into answers. Reports what is missing in plain words; the API checks the rest. */
export function parseForm(fields: readonly QuestionField[], form: FormState): FormResult {
  const answers: Record<string, AnswerValue> = {};
  const issues: Record<string, string> = {};
  for (const field of fields) {
    const input = form[field.key] ?? EMPTY_FIELD;
    const issue = findFieldIssue(field, input);
    if (issue) issues[field.key] = issue;
    else if (isFieldFilled(field, input) || canBeEmpty(field)) answers[field.key] = fieldValue(field, input);
  }
  return Object.keys(issues).length > 0 ? { ok: false, issues } : { ok: true, answers };
}

function canBeEmpty({ schema }: QuestionField): boolean {
  if (schema?.type === 'array') return schema.minItems === 0;
  return schema?.type === 'string' && !schema.enum && schema.minLength === 0;
}

function findFieldIssue(field: QuestionField, input: FieldInput): string | undefined {
  const { kind } = chooseControl(field);
  if (!isFieldFilled(field, input)) return !field.required || canBeEmpty(field) ? undefined : MISSING_MESSAGES[kind];
  if (input.isOther && input.other.trim() === '') return 'Write what “Other” stands for.';
  if (kind === 'number' && parseNumber(input.text) === undefined) return 'Write a number in digits, such as 12.5.';
  return undefined;
}

const MISSING_MESSAGES = {
  one: 'Choose one.',
  many: 'Choose at least one.',
  flag: 'Choose yes or no.',
  number: 'Write a number.',
  line: 'Fill this in.',
  text: 'Write an answer.',
};

function parseNumber(text: string): number | undefined {
  const number = Number(text.trim());
  return text.trim() !== '' && Number.isFinite(number) ? number : undefined;
}

function fieldValue(field: QuestionField, { picked, isOther, other, text }: FieldInput): AnswerValue {
  const control = chooseControl(field);
  switch (control.kind) {
    case 'one':
      return isOther ? { other } : (picked[0] ?? '');
    case 'many':
      // In the order they were offered, whatever the order of the clicks.
      return [
        ...control.options.map(({ label }) => label).filter((label) => picked.includes(label)),
        ...(isOther ? [{ other }] : []),
      ];
    case 'flag':
      return picked[0] === BOOLEAN_LABELS.yes;
    case 'number':
      return parseNumber(text) ?? text;
    case 'line':
      return control.type === 'datetime-local' ? toUtcInstant(text) : text.trim();
    case 'text':
      return text;
  }
}

/** The control knows the reader's own time only; the answer names the moment. */
function toUtcInstant(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString().replace('.000Z', 'Z');
}

/** A moment as the control writes it. */
export function toLocalDateTime(text: string): string {
  const date = new Date(text);
  if (!/[zZ]|[+-]\d\d:\d\d$/.test(text) || Number.isNaN(date.getTime())) return text;
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Adds or removes an option; in a single choice, it replaces the other. */
export function toggleOption(input: FieldInput, label: string, isMultiple: boolean): FieldInput {
  if (!isMultiple) return { ...input, picked: [label], isOther: false };
  const isPicked = input.picked.includes(label);
  const picked = isPicked ? input.picked.filter((option) => option !== label) : [...input.picked, label];
  return { ...input, picked };
}

export function toggleOther(input: FieldInput, isMultiple: boolean): FieldInput {
  return isMultiple ? { ...input, isOther: !input.isOther } : { ...input, picked: [], isOther: true };
}
