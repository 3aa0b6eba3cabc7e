import { foldCase } from '#cli/render/text';
import type { AnswerValue, Question, QuestionField, QuestionOption } from '#contract/question';
import { validateFieldValue } from '#core/questions/validate-answer';
import { validateValue } from '#core/schema/validate-value';
import { BOOLEAN_LABELS, chooseControl, type FieldControlSpec } from '#presentation/field-control';
import { createFormState, type FieldInput, parseFieldInput, toDateTimeInput } from '#presentation/form-state';
import { toSentence } from '#presentation/labels';
import { createTextEditor, type TextEditor } from './text-editor';

/** The state of one field while the user fills it in. */
export type FieldStep = ChoiceStep | ButtonStep | TextStep;

interface StepBase {
  field: QuestionField;
  /** Why the value was rejected. */
  error?: string;
}

/** A choice of one option, or of several. */
export interface ChoiceStep extends StepBase {
  kind: 'choice';
  isMany: boolean;
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

/** Two buttons, side by side. */
export interface ButtonStep extends StepBase {
  kind: 'buttons';
  choices: readonly string[];
  choiceIndex: number;
}

export interface TextStep extends StepBase {
  kind: 'text';
  editor: TextEditor;
}

/** Label for leaving an optional choice empty. */
export const SKIP_LABEL = 'Leave empty';

export function createFieldStep(field: QuestionField, { confirms }: Pick<Question, 'confirms'>): FieldStep {
  const control = chooseControl(field);
  const input = createFormState([field])[field.key] as FieldInput;
  if (confirms && control.kind === 'one' && control.options.length === 2 && !field.allowOther)
    return createConfirmStep(field, control.options);
  switch (control.kind) {
    case 'one':
    case 'many':
      return createChoiceStep(field, control, input);
    case 'flag':
      return createYesNoStep(field, input);
    default:
      return createTextStep(field, control, input);
  }
}

/** Starts on "no", so that confirming takes a deliberate key press. */
function createConfirmStep(field: QuestionField, options: readonly QuestionOption[]): ButtonStep {
  return { kind: 'buttons', field, choices: options.map(({ label }) => label), choiceIndex: 1 };
}

function createYesNoStep(field: QuestionField, { picked }: FieldInput): ButtonStep {
  const choices = [BOOLEAN_LABELS.yes, BOOLEAN_LABELS.no, ...(field.required ? [] : [SKIP_LABEL])];
  return { kind: 'buttons', field, choices, choiceIndex: Math.max(0, choices.indexOf(picked[0] ?? '')) };
}

function createChoiceStep(
  field: QuestionField,
  control: Extract<FieldControlSpec, { hasOther: boolean }>,
  input: FieldInput,
): ChoiceStep {
  const { options } = control;
  const { picked, isOther, other } = input;
  const [first] = picked;
  const pickedIndex = options.findIndex(({ label }) => label === first);
  const rowIndex = isOther && picked.length === 0 ? options.length : Math.max(0, pickedIndex);
  const isMany = control.kind === 'many';
  return {
    kind: 'choice',
    field,
    isMany,
    options,
    rowIndex,
    picked,
    isOther,
    other: createTextEditor(other),
    isEditingOther: false,
  };
}

function createTextStep(field: QuestionField, control: FieldControlSpec, { text }: FieldInput): TextStep {
  const initialText = isDateTimeControl(control) ? formatLocalDateTime(text) : text;
  return { kind: 'text', field, editor: createTextEditor(initialText, control.kind === 'text') };
}

export function isDateTimeControl(control: FieldControlSpec): boolean {
  return control.kind === 'line' && control.type === 'datetime-local';
}

/** Converts to the web app's form state, so that both parse it the same way. */
export function toFieldInput(step: FieldStep): FieldInput {
  const emptyInput = { picked: [], isOther: false, other: '', text: '' };
  switch (step.kind) {
    case 'choice':
      return { ...emptyInput, picked: [...step.picked], isOther: step.isOther, other: step.other.text };
    case 'buttons': {
      const label = step.choices[step.choiceIndex] ?? '';
      return label === SKIP_LABEL && !step.field.required ? emptyInput : { ...emptyInput, picked: [label] };
    }
    case 'text': {
      const { text } = step.editor;
      return {
        ...emptyInput,
        text: isDateTimeControl(chooseControl(step.field)) ? normalizeDateTimeInput(text) : text,
      };
    }
  }
}

/** The value is undefined if an optional field was left empty. */
export type StepResult = { ok: true; value: AnswerValue | undefined } | { ok: false; error: string };

/** Reads the value of a step, with the same validation as on the server. */
export function readStep(step: FieldStep): StepResult {
  const { field } = step;
  const parsed = parseFieldInput(field, toFieldInput(step));
  if (!parsed.ok) return { ok: false, error: parsed.issue };
  const dateTimeIssue =
    step.kind === 'text' && isDateTimeControl(chooseControl(field)) ? findDateTimeIssue(step.editor.text) : undefined;
  if (dateTimeIssue) return { ok: false, error: dateTimeIssue };
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

const LOCAL_DATE_TIME = /^(\d{4}-\d\d-\d\d)[ T]+(\d{1,2}):(\d\d)(:\d\d)?$/;
const ZONE_SUFFIX = /(?:[zZ]|[+-]\d\d:\d\d)$/;

/** Formats an ISO time as local time. */
function formatLocalDateTime(isoTime: string): string {
  return toDateTimeInput(isoTime).replace('T', ' ');
}

/** Converts typed text to the value of a datetime-local input. */
function normalizeDateTimeInput(input: string): string {
  const text = input.trim();
  const [, date, hours = '', minutes, seconds = ''] = LOCAL_DATE_TIME.exec(text) ?? [];
  return date ? `${date}T${hours.padStart(2, '0')}:${minutes}${seconds}` : text;
}

/** Validates strictly, because `Date` accepts almost anything and turns February 30 into March. */
function findDateTimeIssue(input: string): string | undefined {
  const text = normalizeDateTimeInput(input);
  if (text === '') return undefined;
  const complete = ZONE_SUFFIX.test(text) ? text : `${text.length === 16 ? `${text}:00` : text}Z`;
  return validateValue({ type: 'string', format: 'date-time' }, complete)
    ? 'Enter a date and time, such as 2026-11-16 09:30.'
    : undefined;
}

/** Returns the time zone of local times. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
