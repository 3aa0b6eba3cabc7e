import type { QuestionField } from '#contract/question';
import { toWellFormed } from '#core/json';
import { BOOLEAN_LABELS, EMPTY_FIELD, type FieldInput, fieldInputFromValue } from '#presentation/form-state';
import { controlOf } from './control';

export interface Form {
  fields: Record<string, FieldInput>;
  comment: string;
}

export const COMMENT = 'comment';
/** No label is empty, so what is sent for "Other" cannot be taken for one. */
export const OTHER = '';

/** The form as it is first shown: with the defaults the agent named, and what the address says in their place. */
export function blankForm(fields: readonly QuestionField[], asked: URLSearchParams): Form {
  const given = fields.map((field) => {
    const isAsked = asked.has(field.key) || asked.has(otherOf(field));
    return [field.key, isAsked ? fillingFrom(field, asked) : fieldInputFromValue(field.default)];
  });
  return { fields: Object.fromEntries(given), comment: text(asked, COMMENT) };
}

/** The form as it was sent. */
export function formFrom(fields: readonly QuestionField[], sent: URLSearchParams): Form {
  const given = fields.map((field) => [field.key, fillingFrom(field, sent)]);
  return { fields: Object.fromEntries(given), comment: text(sent, COMMENT) };
}

export function fillingIn(form: Form, { key }: QuestionField): FieldInput {
  return form.fields[key] ?? EMPTY_FIELD;
}

/** What the box beside "Other" is called. */
export function otherOf({ key }: QuestionField): string {
  return `${key}.other`;
}

function fillingFrom(field: QuestionField, sent: URLSearchParams): FieldInput {
  const values = sent.getAll(field.key).map(plain);
  const control = controlOf(field);
  if (control.kind === 'flag') return { ...EMPTY_FIELD, picked: values.slice(0, 1).map(flag) };
  if (control.kind !== 'one' && control.kind !== 'many') return { ...EMPTY_FIELD, text: values[0] ?? '' };
  const chosen = control.kind === 'one' ? values.slice(0, 1) : [...new Set(values)];
  const labels = control.options.map(({ label }) => label);
  return {
    ...EMPTY_FIELD,
    picked: chosen.filter((value) => value !== OTHER).map((value) => meant(labels, value)),
    isOther: control.hasOther && chosen.includes(OTHER),
    other: control.hasOther ? text(sent, otherOf(field)) : '',
  };
}

/** A page cannot hold every character as it is, and forms are sent with line ends of their own. */
function plain(sent: string): string {
  return toWellFormed(sent).replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
}

function meant(labels: string[], sent: string): string {
  return labels.find((label) => label === sent) ?? labels.find((label) => plain(label) === sent) ?? sent;
}

function text(sent: URLSearchParams, name: string): string {
  return plain(sent.get(name) ?? '');
}

function flag(sent: string): string {
  if (/^(yes|true)$/i.test(sent)) return BOOLEAN_LABELS.yes;
  return /^(no|false)$/i.test(sent) ? BOOLEAN_LABELS.no : sent;
}
