import type { Fault, Field, Question, Value } from '#contract/question';
import { checkAgainst, choicesOf, isFreeText, type ValueFault } from './value-schema';

export type Checked = { ok: true; answers: Record<string, Value> } | { ok: false; faults: Fault[] };

/** Is this answer acceptable? Every fault at once, or the answer keyed by field. */
export function checkAnswer(question: Question, given: { answers?: unknown; answer?: unknown }): Checked {
  const byField = new Map<Field, unknown>();
  const faults =
    given.answer === undefined ? spread(question, given.answers, byField) : single(question, given, byField);
  const answers: Record<string, Value> = {};
  for (const field of question.fields) {
    if (!byField.has(field)) {
      if (field.required && given.answer === undefined) faults.push(missing(field));
      continue;
    }
    const value = byField.get(field);
    const fault = checkValue(field, value);
    if (fault) faults.push({ path: `answers.${field.key}`, ...fault });
    else answers[field.key] = value as Value;
  }
  return faults.length === 0 ? { ok: true, answers } : { ok: false, faults };
}

function missing(field: Field): Fault {
  return { path: `answers.${field.key}`, message: `"${field.question}" has no answer`, ...allowedOf(field) };
}

function single(
  question: Question,
  given: { answer?: unknown; answers?: unknown },
  byField: Map<Field, unknown>,
): Fault[] {
  if (given.answers !== undefined)
    return [{ path: 'answers', message: 'send either "answers" or "answer", not both' }];
  const [field, ...more] = question.fields;
  if (!field || more.length > 0) {
    const keys = question.fields.map((f) => f.key);
    return [
      { path: 'answer', message: 'this question has several fields: send "answers" by field', allowed: keys },
    ];
  }
  byField.set(field, given.answer);
  return [];
}

function spread(question: Question, answers: unknown, byField: Map<Field, unknown>): Fault[] {
  const keys = question.fields.map((field) => field.key);
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) {
    return [{ path: 'answers', message: 'must be an object with a value for each field', allowed: keys }];
  }
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(answers)) {
    const field =
      question.fields.find((f) => f.key === name) ?? question.fields.find((f) => f.question === name);
    if (!field) faults.push({ path: `answers.${name}`, message: 'there is no such field', allowed: keys });
    else if (byField.has(field))
      faults.push({ path: `answers.${name}`, message: `${field.key} is answered twice` });
    else byField.set(field, value);
  }
  return faults;
}

function allowedOf(field: Field): { allowed?: string[] } {
  const choices = field.options?.map((option) => option.label) ?? choicesOf(field.schema);
  return choices ? { allowed: choices } : {};
}

/** How to say something that is not among the options, where one may. */
function orOther(field: Field): string {
  return field.allowOther ? ' (for an answer of your own, send {"other": "text"})' : '';
}

/** Would this value do for that field? */
export function checkValue(field: Field, value: unknown): ValueFault | undefined {
  if (!field.options) return field.schema ? checkAgainst(field.schema, value) : checkFree(value);
  if (field.multiSelect) return checkChoices(field, value);
  if (Array.isArray(value)) return { message: 'only one option may be chosen', ...allowedOf(field) };
  return checkChoice(field, value);
}

function checkFree(value: unknown): ValueFault | undefined {
  if (typeof value === 'string') return value.trim() === '' ? { message: 'the answer is empty' } : undefined;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return undefined;
  return { message: 'must be text, a number or true or false' };
}

function checkChoice(field: Field, value: unknown): ValueFault | undefined {
  if (typeof value === 'string') {
    if (field.options?.some((option) => option.label === value)) return undefined;
    return {
      message: `${JSON.stringify(value.slice(0, 200))} is not one of the options${orOther(field)}`,
      ...allowedOf(field),
    };
  }
  if (!isOther(value)) return { message: 'must be the label of an option', ...allowedOf(field) };
  if (!field.allowOther) return { message: 'this question takes no "other"', ...allowedOf(field) };
  return value.other.trim() === '' ? { message: 'the text of "other" is empty' } : undefined;
}

const FAULTS_NAMED = 20;

function checkChoices(field: Field, value: unknown): ValueFault | undefined {
  if (!Array.isArray(value)) return { message: 'must be a list of labels', ...allowedOf(field) };
  if (value.length === 0 && field.required) return { message: 'choose at least one', ...allowedOf(field) };
  const faults = value.flatMap((choice) => checkChoice(field, choice) ?? []).slice(0, FAULTS_NAMED);
  const [first] = faults;
  if (first) return { ...first, message: faults.map((fault) => fault.message).join('; ') };
  const labels = value.filter((choice) => typeof choice === 'string');
  if (new Set(labels).size < labels.length)
    return { message: 'an option is chosen twice', ...allowedOf(field) };
  if (value.length - labels.length > 1) return { message: '"other" may be given once', ...allowedOf(field) };
  return undefined;
}

function isOther(value: unknown): value is { other: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).length === 1 && typeof (value as { other?: unknown }).other === 'string';
}

/** A message typed while a question is open: the answer it makes, where the question has one place for free text. */
export function answerOfText(question: Question, text: string): Value | undefined {
  const [field, ...more] = question.fields;
  if (!field || more.length > 0) return undefined;
  if (field.schema) return isFreeText(field.schema) && !checkValue(field, text) ? text : undefined;
  if (!field.options) return text;
  if (!field.allowOther) return undefined;
  return field.multiSelect ? [{ other: text }] : { other: text };
}

/** The defaults the asker named, if every field that must be answered has one. */
export function defaultsOf(fields: Field[]): Record<string, Value> | undefined {
  const answers: Record<string, Value> = {};
  for (const field of fields) {
    if (field.default !== undefined) answers[field.key] = field.default;
    else if (field.required) return undefined;
  }
  return answers;
}
