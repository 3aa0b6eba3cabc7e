import { foldCase } from '#cli/render/text';
import type { AnswerValue, Question, QuestionField, QuestionOption } from '#contract/question';
import { validateFieldValue } from '#core/questions/validate-answer';
import { validateValue } from '#core/schema/validate-value';
import { chooseControl, type FieldControlSpec } from '#presentation/field-control';
import { BOOLEAN_LABELS, createFormState, type FieldInput, parseForm, toLocalDateTime } from '#presentation/form-state';
import { createTextEditor, type TextEditor } from './text-editor';

/** One field, as somebody is filling it in. */
export type FieldStep = ChoiceStep | ButtonStep | TextStep;

interface StepBase {
  field: QuestionField;
  /** What was wrong with it when it was to be taken. */
  fault?: string;
}

/** Choose one of these, or several. */
export interface ChoiceStep extends StepBase {
  kind: 'list';
  isMany: boolean;
  options: readonly QuestionOption[];
  /** Which of the rows that are left by the filter. */
  at: number;
  /** Only what has this in it is shown; not there while nobody filters. */
  filter?: string | undefined;
  picked: readonly string[];
  isOther: boolean;
  other: TextEditor;
  /** The line for “Other” is open. */
  isWriting: boolean;
}

/** Two buttons, side by side. */
export interface ButtonStep extends StepBase {
  kind: 'flag';
  choices: readonly string[];
  at: number;
}

export interface TextStep extends StepBase {
  kind: 'writing';
  editor: TextEditor;
}

/** For leaving a choice unmade where one may. */
export const SKIP_LABEL = 'Leave it empty';

export function createFieldStep(field: QuestionField, { confirms }: Pick<Question, 'confirms'>): FieldStep {
  const control = chooseControl(field);
  const filling = createFormState([field])[field.key] as FieldInput;
  if (confirms && control.kind === 'one' && control.options.length === 2 && !field.allowOther)
    return createConfirmStep(field, control.options);
  switch (control.kind) {
    case 'one':
    case 'many':
      return createChoiceStep(field, control, filling);
    case 'flag':
      return createYesNoStep(field, filling);
    default:
      return createTextStep(field, control, filling);
  }
}

/** Nothing but a deliberate act confirms: it starts on the "no". */
function createConfirmStep(field: QuestionField, options: readonly QuestionOption[]): ButtonStep {
  return { kind: 'flag', field, choices: options.map(({ label }) => label), at: 1 };
}

function createYesNoStep(field: QuestionField, { picked }: FieldInput): ButtonStep {
  const choices = [BOOLEAN_LABELS.yes, BOOLEAN_LABELS.no, ...(field.required ? [] : [SKIP_LABEL])];
  return { kind: 'flag', field, choices, at: Math.max(0, choices.indexOf(picked[0] ?? '')) };
}

function createChoiceStep(
  field: QuestionField,
  control: Extract<FieldControlSpec, { options: QuestionOption[] }>,
  filling: FieldInput,
): ChoiceStep {
  const { options } = control;
  const { picked, isOther, other } = filling;
  const [first] = picked;
  const chosen = options.findIndex(({ label }) => label === first);
  const at = isOther && picked.length === 0 ? options.length : Math.max(0, chosen);
  const isMany = control.kind === 'many';
  return {
    kind: 'list',
    field,
    isMany,
    options,
    at,
    picked,
    isOther,
    other: createTextEditor(other),
    isWriting: false,
  };
}

function createTextStep(field: QuestionField, control: FieldControlSpec, { text }: FieldInput): TextStep {
  const shown = isDateTimeControl(control) ? formatLocalDateTime(text) : text;
  return { kind: 'writing', field, editor: createTextEditor(shown, control.kind === 'text') };
}

export function isDateTimeControl(control: FieldControlSpec): boolean {
  return control.kind === 'line' && control.type === 'datetime-local';
}

/** As the web app holds it, so that both read it the same way. */
export function toFieldInput(step: FieldStep): FieldInput {
  const none = { picked: [], isOther: false, other: '', text: '' };
  switch (step.kind) {
    case 'list':
      return { ...none, picked: [...step.picked], isOther: step.isOther, other: step.other.text };
    case 'flag': {
      const label = step.choices[step.at] ?? '';
      return label === SKIP_LABEL && !step.field.required ? none : { ...none, picked: [label] };
    }
    case 'writing': {
      const { text } = step.editor;
      return {
        ...none,
        text: isDateTimeControl(chooseControl(step.field)) ? normalizeDateTimeInput(text) : text,
      };
    }
  }
}

/** Nothing where it was left empty, as it may be. */
export type StepResult = { ok: true; value: AnswerValue | undefined } | { ok: false; fault: string };

/** What was filled in, if it will do: by the very check that the server makes. */
export function readStep(step: FieldStep): StepResult {
  const { field } = step;
  const read = parseForm([field], { [field.key]: toFieldInput(step) });
  if (!read.ok) return { ok: false, fault: read.faults[field.key] ?? '' };
  const odd =
    step.kind === 'writing' && isDateTimeControl(chooseControl(field))
      ? findDateTimeIssue(step.editor.text)
      : undefined;
  if (odd) return { ok: false, fault: odd };
  const value = read.answers[field.key];
  const fault = value === undefined ? undefined : validateFieldValue(field, value);
  return fault ? { ok: false, fault: toSentence(fault.message) } : { ok: true, value };
}

export function toSentence(text: string): string {
  const said = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

export type ChoiceRow =
  | { kind: 'option'; option: QuestionOption /** From 1, as it was offered. */; number: number }
  | { kind: 'other' }
  | { kind: 'skip' };

/** Those that the filter leaves, and after them what is always there. */
export function listChoiceRows({ options, filter, field, isMany }: ChoiceStep): ChoiceRow[] {
  const shown = options.map((option, index): ChoiceRow => ({ kind: 'option', option, number: index + 1 }));
  return [
    ...(filter ? shown.filter((row) => isRowMatch(row, filter)) : shown),
    ...(field.allowOther ? [{ kind: 'other' } as const] : []),
    ...(field.required || isMany ? [] : [{ kind: 'skip' } as const]),
  ];
}

function isRowMatch(row: ChoiceRow, filter: string): boolean {
  if (row.kind !== 'option') return false;
  const { label, description = '' } = row.option;
  return foldCase(`${label}\n${description}`).includes(foldCase(filter));
}

export function hasNoMatches(list: ChoiceStep): boolean {
  return list.filter !== undefined && !listChoiceRows(list).some(({ kind }) => kind === 'option');
}

/** To what fits best; where nothing is sought any more, one stays where one was. */
export function filterChoices(list: ChoiceStep, filter: string | undefined): ChoiceStep {
  const before = listChoiceRows(list)[list.at];
  const next = { ...list, filter };
  const rows = listChoiceRows(next);
  const at = filter ? findBestMatch(rows, filter) : rows.findIndex((row) => isSameRow(row, before));
  return { ...next, at: Math.max(0, at) };
}

/** A label that begins with it goes before one that has it somewhere, and that before a description. */
function findBestMatch(rows: readonly ChoiceRow[], filter: string): number {
  const labels = rows.map((row) => (row.kind === 'option' ? foldCase(row.option.label) : ''));
  const first = labels.findIndex((label) => label.startsWith(foldCase(filter)));
  return first === -1 ? labels.findIndex((label) => label.includes(foldCase(filter))) : first;
}

function isSameRow(one: ChoiceRow, other: ChoiceRow | undefined): boolean {
  return one.kind === 'option' && other?.kind === 'option' ? one.number === other.number : one.kind === other?.kind;
}

const LOCAL_DATE_TIME = /^(\d{4}-\d\d-\d\d)[ T]+(\d{1,2}):(\d\d)(:\d\d)?$/;
const ZONE_SUFFIX = /(?:[zZ]|[+-]\d\d:\d\d)$/;

/** A moment as people here write it. */
function formatLocalDateTime(moment: string): string {
  return toLocalDateTime(moment).replace('T', ' ');
}

/** What was written, as the form of the web app would hold it. */
function normalizeDateTimeInput(written: string): string {
  const text = written.trim();
  const [, date, hours = '', minutes, seconds = ''] = LOCAL_DATE_TIME.exec(text) ?? [];
  return date ? `${date}T${hours.padStart(2, '0')}:${minutes}${seconds}` : text;
}

/** `Date` would make a moment of nearly anything, and roll the 30th of February over. */
function findDateTimeIssue(written: string): string | undefined {
  const text = normalizeDateTimeInput(written);
  if (text === '') return undefined;
  const whole = ZONE_SUFFIX.test(text) ? text : `${text.length === 16 ? `${text}:00` : text}Z`;
  return validateValue({ type: 'string', format: 'date-time' }, whole)
    ? 'Write a date and a time, such as 2026-11-16 09:30.'
    : undefined;
}

/** Whose time it is. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
