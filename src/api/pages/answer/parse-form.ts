import type { AnswerValue, QuestionField } from '#contract/question';
import { jsonBytes, toWellFormed } from '#core/json';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { validateFieldValue } from '#core/questions/validate-answer';
import { BOOLEAN_LABELS, chooseControl } from '#presentation/field-control';
import {
  EMPTY_FIELD,
  type FieldInput,
  type FieldInputResult,
  fieldInputFromValue,
  parseFieldInput,
} from '#presentation/form-state';
import { toSentence } from '#presentation/labels';

/** Error messages by field name. */
export type FormErrors = Record<string, string>;
export type ParsedForm<Body> = { ok: true; body: Body } | { ok: false; errors: FormErrors };

export interface FormAnswerBody {
  answers: Record<string, AnswerValue>;
  comment?: string;
}

/** Returns the answer in the form, or every error in it, worded for the person who filled it in. */
export function parseAnswerForm(fields: readonly QuestionField[], form: SubmittedForm): ParsedForm<FormAnswerBody> {
  const answers: Record<string, AnswerValue> = {};
  const errors: FormErrors = {};
  for (const field of fields) {
    const result = parseSubmittedField(field, renderedFieldState(form, field));
    if (!result.ok) errors[field.key] = result.issue;
    else if (result.value !== undefined) answers[field.key] = result.value;
  }
  const comment = form.comment.trim();
  const body = { answers, ...(comment ? { comment } : {}) };
  if (jsonBytes(body) > MAX_ANSWER_BYTES)
    errors[COMMENT_FIELD] = 'Answer too long: 32 KB max, including the comment. Shorten it.';
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, body };
}

const MAX_REASON_LENGTH = 4_000;

export function parseDeclineForm(form: SubmittedForm): ParsedForm<{ reason?: string }> {
  const reason = form.comment.trim();
  if (reason.length > MAX_REASON_LENGTH)
    return { ok: false, errors: { [COMMENT_FIELD]: 'Comment too long: 4,000 characters max. Shorten it.' } };
  return { ok: true, body: reason ? { reason } : {} };
}

/** Parses and validates one field. The value is undefined if an optional field was left empty. */
function parseSubmittedField(field: QuestionField, input: FieldInput): FieldInputResult {
  if (!input.isOther && input.other.trim() !== '')
    return {
      ok: false,
      issue: 'You entered text for “Other” without selecting it. Select “Other” or clear the text.',
    };
  const parsed = parseFieldInput(field, input, utcTimeToInstant);
  const issue = parsed.ok && parsed.value !== undefined ? validateFieldValue(field, parsed.value) : undefined;
  return issue ? { ok: false, issue: toSentence(issue.message) } : parsed;
}

/** Reads the time as UTC, as the page says, since the control has no time zone. */
function utcTimeToInstant(text: string): string {
  const [, minutes, rest = ':00'] = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(text) ?? [];
  return minutes ? `${minutes.replace(' ', 'T')}${rest}Z` : text;
}

export interface SubmittedForm {
  fields: Record<string, FieldInput>;
  comment: string;
}

export const COMMENT_FIELD = 'comment';
/** The button that skips the question. */
export const DECLINE_FIELD = { name: 'send', value: 'decline' };
/** The value sent for "Other". No option has an empty label, so it cannot be confused with one. */
export const OTHER_FIELD = '';

/** Returns the initial form: the agent's defaults, replaced by values from the query string. */
export function blankForm(fields: readonly QuestionField[], query: URLSearchParams): SubmittedForm {
  const entries = fields.map((field) => {
    const isPrefilled = query.has(field.key) || query.has(otherFieldName(field));
    return [field.key, isPrefilled ? readFieldInput(field, query) : fieldInputFromValue(field.default)];
  });
  return { fields: Object.fromEntries(entries), comment: readText(query, COMMENT_FIELD) };
}

export function readSubmittedForm(fields: readonly QuestionField[], submitted: URLSearchParams): SubmittedForm {
  const entries = fields.map((field) => [field.key, readFieldInput(field, submitted)]);
  return { fields: Object.fromEntries(entries), comment: readText(submitted, COMMENT_FIELD) };
}

export function renderedFieldState(form: SubmittedForm, { key }: QuestionField): FieldInput {
  return form.fields[key] ?? EMPTY_FIELD;
}

export function otherFieldName({ key }: QuestionField): string {
  return `${key}.other`;
}

function readFieldInput(field: QuestionField, submitted: URLSearchParams): FieldInput {
  const values = submitted.getAll(field.key).map(normalizeText);
  const control = chooseControl(field);
  if (control.kind === 'flag') return { ...EMPTY_FIELD, picked: values.slice(0, 1).map(toBooleanLabel) };
  if (!('options' in control)) return { ...EMPTY_FIELD, text: values[0] ?? '' };
  const chosen = control.kind === 'one' ? values.slice(0, 1) : [...new Set(values)];
  const labels = control.options.map(({ label }) => label);
  return {
    ...EMPTY_FIELD,
    picked: chosen.filter((value) => value !== OTHER_FIELD).map((value) => matchLabel(labels, value)),
    isOther: control.hasOther && chosen.includes(OTHER_FIELD),
    other: control.hasOther ? readText(submitted, otherFieldName(field)) : '',
  };
}

/** Normalizes submitted text: a page cannot hold every character, and browsers change line ends. */
function normalizeText(submitted: string): string {
  return toWellFormed(submitted).replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
}

function matchLabel(labels: string[], submitted: string): string {
  return (
    labels.find((label) => label === submitted) ??
    labels.find((label) => normalizeText(label) === submitted) ??
    submitted
  );
}

function readText(submitted: URLSearchParams, name: string): string {
  return normalizeText(submitted.get(name) ?? '');
}

function toBooleanLabel(submitted: string): string {
  if (/^(yes|true)$/i.test(submitted)) return BOOLEAN_LABELS.yes;
  return /^(no|false)$/i.test(submitted) ? BOOLEAN_LABELS.no : submitted;
}
