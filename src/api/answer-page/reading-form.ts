import type { AnswerValue, QuestionField } from '#contract/question';
import { jsonBytes } from '#core/json';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { validateFieldValue } from '#core/questions/validate-answer';
import { BOOLEAN_LABELS, type FieldInput } from '#presentation/form-state';
import { type Control, controlOf, sentence } from './control';
import { COMMENT, type Form, fillingIn } from './filling';

/** What is wrong, by the name of the field. */
export type Faults = Record<string, string>;
export type Read<Body> = { ok: true; body: Body } | { ok: false; faults: Faults };

export interface AnswerBody {
  answers: Record<string, AnswerValue>;
  comment?: string;
}

/** The answer that a form makes, or everything that is wrong with it, in words for whoever filled it in. */
export function readAnswer(fields: readonly QuestionField[], form: Form): Read<AnswerBody> {
  const answers: Record<string, AnswerValue> = {};
  const faults: Faults = {};
  for (const field of fields) {
    const value = answerOf(field, fillingIn(form, field));
    if (value.ok) answers[field.key] = value.body;
    else faults[field.key] = value.fault;
  }
  const comment = form.comment.trim();
  const body = { answers, ...(comment ? { comment } : {}) };
  if (jsonBytes(body) > MAX_ANSWER_BYTES)
    faults[COMMENT] = 'This is too long: an answer with its comment is at most 32 KB. Shorten it.';
  return Object.keys(faults).length > 0 ? { ok: false, faults } : { ok: true, body };
}

const REASON_LENGTH = 4_000;

export function readDecline(form: Form): Read<{ reason?: string }> {
  const reason = form.comment.trim();
  if (reason.length > REASON_LENGTH)
    return {
      ok: false,
      faults: { [COMMENT]: 'A reason is at most 4,000 characters. Shorten it.' },
    };
  return { ok: true, body: reason ? { reason } : {} };
}

type Valued = { ok: true; body: AnswerValue } | { ok: false; fault: string };

function answerOf(field: QuestionField, filling: FieldInput): Valued {
  const control = controlOf(field);
  const fault = faultOf(field, control, filling);
  if (fault) return { ok: false, fault };
  const body = written(control, filling);
  const wrong = validateFieldValue(field, body);
  return wrong ? { ok: false, fault: `${sentence(wrong.message)}.` } : { ok: true, body };
}

function faultOf(
  field: QuestionField,
  control: Control,
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
      if (isOther || picked.length > 0 || mayBeEmpty(field)) return undefined;
      return control.kind === 'one' ? 'Choose one.' : 'Choose at least one.';
    }
    case 'flag':
      return picked.length > 0 && picked.every((label) => label === BOOLEAN_LABELS.yes || label === BOOLEAN_LABELS.no)
        ? undefined
        : 'Choose yes or no.';
    case 'number':
      if (text.trim() === '') return 'Write a number.';
      return numberIn(text) === undefined ? 'Write a number in digits, such as 12.5.' : undefined;
    default:
      return text.trim() === '' && !mayBeEmpty(field) ? 'Write an answer.' : undefined;
  }
}

/** Every field is to be answered; some take nothing as an answer. */
function mayBeEmpty({ schema }: QuestionField): boolean {
  if (schema?.type === 'array') return schema.minItems === 0;
  return schema?.type === 'string' && !schema.enum && schema.minLength === 0;
}

function written(control: Control, { picked, isOther, other, text }: FieldInput): AnswerValue {
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
      return numberIn(text) ?? text;
    case 'line':
      return control.type === 'datetime-local' ? instant(text.trim()) : text.trim();
    case 'text':
      return text.trim() === '' ? '' : text;
  }
}

function numberIn(text: string): number | undefined {
  const digits = text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits) && Number.isFinite(Number(digits))
    ? Number(digits)
    : undefined;
}

/** The control knows no time zone, and the page says that it is UTC. */
function instant(text: string): string {
  const [, minutes, rest = ':00'] = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(text) ?? [];
  return minutes ? `${minutes.replace(' ', 'T')}${rest}Z` : text;
}

/** A moment as the control writes it. */
export function asControlled(text: string): string {
  const date = new Date(text);
  const hasZone = /([zZ]|[+-]\d\d:\d\d)$/.test(text);
  return hasZone && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 19).replace(/:00$/, '') : text;
}
