import type { AnswerValue, QuestionField } from '#contract/question';
import { jsonBytes, toWellFormed } from '#core/json';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { validateFieldValue } from '#core/questions/validate-answer';
import { BOOLEAN_LABELS, EMPTY_FIELD, type FieldInput, fieldInputFromValue } from '#presentation/form-state';
import { asSentence, type HtmlControl, htmlControlFor } from './controls';

/** What is wrong, by the name of the field. */
export type FormErrors = Record<string, string>;
export type ParsedForm<Body> = { ok: true; body: Body } | { ok: false; errors: FormErrors };

export interface FormAnswerBody {
  answers: Record<string, AnswerValue>;
  comment?: string;
}

/** The answer that a form makes, or everything that is wrong with it, in words for whoever filled it in. */
export function parseAnswerForm(fields: readonly QuestionField[], form: SubmittedForm): ParsedForm<FormAnswerBody> {
  const answers: Record<string, AnswerValue> = {};
  const errors: FormErrors = {};
  for (const field of fields) {
    const value = parseField(field, renderedFieldState(form, field));
    if (value.ok) answers[field.key] = value.body;
    else errors[field.key] = value.error;
  }
  const comment = form.comment.trim();
  const body = { answers, ...(comment ? { comment } : {}) };
  if (jsonBytes(body) > MAX_ANSWER_BYTES)
    errors[COMMENT_FIELD] = 'This is too long: an answer with its comment is at most 32 KB. Shorten it.';
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, body };
}

const MAX_REASON_LENGTH = 4_000;

export function parseDeclineForm(form: SubmittedForm): ParsedForm<{ reason?: string }> {
  const reason = form.comment.trim();
  if (reason.length > MAX_REASON_LENGTH)
    return {
      ok: false,
      errors: { [COMMENT_FIELD]: 'A reason is at most 4,000 characters. Shorten it.' },
    };
  return { ok: true, body: reason ? { reason } : {} };
}

type ParsedValue = { ok: true; body: AnswerValue } | { ok: false; error: string };

function parseField(field: QuestionField, input: FieldInput): ParsedValue {
  const control = htmlControlFor(field);
  const error = findInputError(field, control, input);
  if (error) return { ok: false, error };
  const body = toAnswerValue(control, input);
  const issue = validateFieldValue(field, body);
  return issue ? { ok: false, error: `${asSentence(issue.message)}.` } : { ok: true, body };
}

function findInputError(
  field: QuestionField,
  control: HtmlControl,
  { picked, isOther, other, text }: FieldInput,
): string | undefined {
  switch (control.kind) {
    case 'one':
    case 'many': {
      const labels = control.options.map(({ label }) => label);
      if (picked.some((label) => !labels.includes(label))) return 'Choose from what is shown here.';
      if (!isOther && other.trim() !== '')
        return 'You wrote something beside “Other” but did not choose it. Choose “Other”, or clear the text.';
      if (isOther && other.trim() === '') return 'Write what “Other” stands for.';
      if (isOther || picked.length > 0 || allowsEmpty(field)) return undefined;
      return control.kind === 'one' ? 'Choose one.' : 'Choose at least one.';
    }
    case 'flag':
      return picked.length > 0 && picked.every((label) => label === BOOLEAN_LABELS.yes || label === BOOLEAN_LABELS.no)
        ? undefined
        : 'Choose yes or no.';
    case 'number':
      if (text.trim() === '') return 'Write a number.';
      return parseNumber(text) === undefined ? 'Write a number in digits, such as 12.5.' : undefined;
    default:
      return text.trim() === '' && !allowsEmpty(field) ? 'Write an answer.' : undefined;
  }
}

/** Every field is to be answered; some take nothing as an answer. */
function allowsEmpty({ schema }: QuestionField): boolean {
  if (schema?.type === 'array') return schema.minItems === 0;
  return schema?.type === 'string' && !schema.enum && schema.minLength === 0;
}

function toAnswerValue(control: HtmlControl, { picked, isOther, other, text }: FieldInput): AnswerValue {
  switch (control.kind) {
    case 'one':
      return isOther ? { other: other.trim() } : (picked[0] ?? '');
    case 'many': {
      // In the order they were offered, whatever the order they were sent in.
      const labels = control.options.map(({ label }) => label).filter((label) => picked.includes(label));
      return [...labels, ...(isOther ? [{ other: other.trim() }] : [])];
    }
    case 'flag':
      return picked[0] === BOOLEAN_LABELS.yes;
    case 'number':
      return parseNumber(text) ?? text;
    case 'line':
      return control.type === 'datetime-local' ? toUtcTimestamp(text.trim()) : text.trim();
    case 'text':
      return text.trim() === '' ? '' : text;
  }
}

function parseNumber(text: string): number | undefined {
  const digits = text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits) && Number.isFinite(Number(digits))
    ? Number(digits)
    : undefined;
}

/** The control knows no time zone, and the page says that it is UTC. */
function toUtcTimestamp(text: string): string {
  const [, minutes, rest = ':00'] = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(text) ?? [];
  return minutes ? `${minutes.replace(' ', 'T')}${rest}Z` : text;
}

/** A moment as the control writes it. */
export function normalizeControlValue(text: string): string {
  const date = new Date(text);
  const hasZone = /([zZ]|[+-]\d\d:\d\d)$/.test(text);
  return hasZone && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 19).replace(/:00$/, '') : text;
}

export interface SubmittedForm {
  fields: Record<string, FieldInput>;
  comment: string;
}

export const COMMENT_FIELD = 'comment';
/** How the form says that the person will not answer. */
export const DECLINE_FIELD = { name: 'send', value: 'decline' };
/** No label is empty, so what is sent for "Other" cannot be taken for one. */
export const OTHER_FIELD = '';

/** The form as it is first shown: with the defaults the agent named, and what the address says in their place. */
export function blankForm(fields: readonly QuestionField[], query: URLSearchParams): SubmittedForm {
  const entries = fields.map((field) => {
    const isPrefilled = query.has(field.key) || query.has(otherFieldName(field));
    return [field.key, isPrefilled ? readFieldInput(field, query) : fieldInputFromValue(field.default)];
  });
  return { fields: Object.fromEntries(entries), comment: readText(query, COMMENT_FIELD) };
}

/** The form as it was sent. */
export function readSubmittedForm(fields: readonly QuestionField[], submitted: URLSearchParams): SubmittedForm {
  const entries = fields.map((field) => [field.key, readFieldInput(field, submitted)]);
  return { fields: Object.fromEntries(entries), comment: readText(submitted, COMMENT_FIELD) };
}

export function renderedFieldState(form: SubmittedForm, { key }: QuestionField): FieldInput {
  return form.fields[key] ?? EMPTY_FIELD;
}

/** What the box beside "Other" is called. */
export function otherFieldName({ key }: QuestionField): string {
  return `${key}.other`;
}

function readFieldInput(field: QuestionField, submitted: URLSearchParams): FieldInput {
  const values = submitted.getAll(field.key).map(normalizeText);
  const control = htmlControlFor(field);
  if (control.kind === 'flag') return { ...EMPTY_FIELD, picked: values.slice(0, 1).map(toBooleanLabel) };
  if (control.kind !== 'one' && control.kind !== 'many') return { ...EMPTY_FIELD, text: values[0] ?? '' };
  const chosen = control.kind === 'one' ? values.slice(0, 1) : [...new Set(values)];
  const labels = control.options.map(({ label }) => label);
  return {
    ...EMPTY_FIELD,
    picked: chosen.filter((value) => value !== OTHER_FIELD).map((value) => matchLabel(labels, value)),
    isOther: control.hasOther && chosen.includes(OTHER_FIELD),
    other: control.hasOther ? readText(submitted, otherFieldName(field)) : '',
  };
}

/** A page cannot hold every character as it is, and forms are sent with line ends of their own. */
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
