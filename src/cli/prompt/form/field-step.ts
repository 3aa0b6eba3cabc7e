import { foldCase } from '#cli/render/text';
import type { AnswerValue, Question, QuestionField, QuestionOption } from '#contract/question';
import { validateFieldValue } from '#core/questions/validate-answer';
import { validateValue } from '#core/schema/validate-value';
import { chooseControl } from '#presentation/field-control';
import {
  EMPTY_FIELD,
  type FieldInput,
  fieldInputFromValue,
  parseFieldInput,
  toDateTimeInput,
} from '#presentation/form-state';
import { toSentence } from '#presentation/labels';
import { createTextEditor, type TextEditor } from './text-editor';

/** The state of one field while the user fills it in. */
export type FieldStep = ChoiceStep | TextStep;

interface StepBase {
  field: QuestionField;
  /** Why the value was rejected. */
  error?: string;
}

/** A choice of one option, or of several. */
export interface ChoiceStep extends StepBase {
  kind: 'choice';
  isMany: boolean;
  /** A choice of yes or no has keys for both, and no filter. */
  isYesNo: boolean;
  options: readonly QuestionOption[];
  /** Index into the rows that match the filter. */
  rowIndex: number;
  /** Only matching options are shown; absent if there is no filter. */
  filter?: string | undefined;
  picked: readonly string[];
  isOther: boolean;
  other: TextEditor;
  /** The text of “Other” is being edited. */
  isEditingOther: boolean;
}

export interface TextStep extends StepBase {
  kind: 'text';
  editor: TextEditor;
}

export function createFieldStep(field: QuestionField, { confirms }: Pick<Question, 'confirms'>): FieldStep {
  const control = chooseControl(field);
  const { picked, isOther, other, text } = fieldInputFromValue(field.default);
  if (!('options' in control)) {
    const initialText = isDateTimeField(field) ? toDateTimeInput(text).replace('T', ' ') : text;
    return { kind: 'text', field, editor: createTextEditor(initialText, control.kind === 'text') };
  }
  const { options } = control;
  const isConfirm = isConfirmField(field, confirms);
  const pickedIndex = options.findIndex(({ label }) => label === picked[0]);
  const defaultIndex = isOther && picked.length === 0 ? options.length : Math.max(0, pickedIndex);
  return {
    kind: 'choice',
    field,
    isMany: control.kind === 'many',
    isYesNo: isConfirm || control.kind === 'flag',
    options,
    // Starts on "no" whatever the default is, so that confirming takes a deliberate key press.
    rowIndex: isConfirm ? 1 : defaultIndex,
    picked: isConfirm ? [] : picked,
    isOther,
    other: createTextEditor(other),
    isEditingOther: false,
  };
}

/** Returns whether a field confirms an action, with one option for yes and one for no. */
export function isConfirmField({ options, multiSelect, allowOther }: QuestionField, confirms: unknown): boolean {
  return Boolean(confirms) && options?.length === 2 && !multiSelect && !allowOther;
}

/** Converts to the web app's form state, so that both parse it the same way. */
export function toFieldInput(step: FieldStep): FieldInput {
  if (step.kind === 'text') return { ...EMPTY_FIELD, text: step.editor.text };
  const { picked, isOther, other } = step;
  return { ...EMPTY_FIELD, picked: [...picked], isOther, other: other.text };
}

/** The value is undefined if an optional field was left empty. */
export type StepResult = { ok: true; value: AnswerValue | undefined } | { ok: false; error: string };

export function readStep(step: FieldStep): StepResult {
  return readFieldInput(step.field, toFieldInput(step));
}

/** Reads the value of a field, with the same validation as on the server. */
export function readFieldInput(field: QuestionField, input: FieldInput): StepResult {
  const isDateTime = isDateTimeField(field);
  const text = isDateTime ? normalizeDateTimeInput(input.text) : input.text;
  const parsed = parseFieldInput(field, { ...input, text });
  if (!parsed.ok) return { ok: false, error: parsed.issue };
  if (isDateTime && !isDateTimeText(text))
    return { ok: false, error: 'Enter a date and time, such as 2026-11-16 09:30.' };
  const { value } = parsed;
  const issue = value === undefined ? undefined : validateFieldValue(field, value);
  return issue ? { ok: false, error: toSentence(issue.message) } : { ok: true, value };
}

export type ChoiceRow =
  | { kind: 'option'; option: QuestionOption /** From 1, as it was offered. */; number: number }
  | { kind: 'other' }
  | { kind: 'skip' };

/** Lists the options that match the filter, followed by the rows that are always shown. */
export function listChoiceRows({ options, filter, field, isMany }: ChoiceStep): ChoiceRow[] {
  const optionRows = options.map((option, index): ChoiceRow => ({ kind: 'option', option, number: index + 1 }));
  return [
    ...(filter ? optionRows.filter((row) => isRowMatch(row, filter)) : optionRows),
    ...(field.allowOther ? [{ kind: 'other' } as const] : []),
    ...(field.required || isMany ? [] : [{ kind: 'skip' } as const]),
  ];
}

function isRowMatch(row: ChoiceRow, filter: string): boolean {
  if (row.kind !== 'option') return false;
  const { label, description = '' } = row.option;
  return foldCase(`${label}\n${description}`).includes(foldCase(filter));
}

export function hasNoMatches(step: ChoiceStep): boolean {
  return step.filter !== undefined && !listChoiceRows(step).some(({ kind }) => kind === 'option');
}

/** Applies a filter and selects the best match. Without a filter, the selection stays. */
export function filterChoices(step: ChoiceStep, filter: string | undefined): ChoiceStep {
  const previousRow = listChoiceRows(step)[step.rowIndex];
  const filtered = { ...step, filter };
  const rows = listChoiceRows(filtered);
  const rowIndex = filter ? findBestMatch(rows, filter) : rows.findIndex((row) => isSameRow(row, previousRow));
  return { ...filtered, rowIndex: Math.max(0, rowIndex) };
}

/** Prefers a label that starts with the filter, then one that contains it, then a description. */
function findBestMatch(rows: readonly ChoiceRow[], filter: string): number {
  const labels = rows.map((row) => (row.kind === 'option' ? foldCase(row.option.label) : ''));
  const prefixMatch = labels.findIndex((label) => label.startsWith(foldCase(filter)));
  return prefixMatch === -1 ? labels.findIndex((label) => label.includes(foldCase(filter))) : prefixMatch;
}

function isSameRow(row: ChoiceRow, other: ChoiceRow | undefined): boolean {
  return row.kind === 'option' && other?.kind === 'option' ? row.number === other.number : row.kind === other?.kind;
}

export function isDateTimeField(field: QuestionField): boolean {
  const control = chooseControl(field);
  return control.kind === 'line' && control.type === 'datetime-local';
}

const LOCAL_DATE_TIME = /^(\d{4}-\d\d-\d\d)[ T]+(\d{1,2}):(\d\d)(:\d\d)?$/;
const ZONE_SUFFIX = /(?:[zZ]|[+-]\d\d:\d\d)$/;

/** Converts typed text to the value of a datetime-local input. */
function normalizeDateTimeInput(input: string): string {
  const text = input.trim();
  const [, date, hours = '', minutes, seconds = ''] = LOCAL_DATE_TIME.exec(text) ?? [];
  return date ? `${date}T${hours.padStart(2, '0')}:${minutes}${seconds}` : text;
}

/** Validates strictly, because `Date` accepts almost anything and turns February 30 into March. */
function isDateTimeText(text: string): boolean {
  if (text === '') return true;
  const complete = ZONE_SUFFIX.test(text) ? text : `${text.length === 16 ? `${text}:00` : text}Z`;
  return !validateValue({ type: 'string', format: 'date-time' }, complete);
}

/** Returns the time zone of local times. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
