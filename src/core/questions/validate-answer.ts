import type { AnswerValue, Question, QuestionField, ValidationIssue } from '#contract/question';
import { isJsonObject } from '#core/json';
import { isFreeTextSchema, schemaChoices, type ValueIssue, validateValue } from '#core/schema/validate-value';

export type AnswerCheck = { ok: true; answers: Record<string, AnswerValue> } | { ok: false; issues: ValidationIssue[] };

/** Validates an answer. Returns it keyed by field, or every issue at once. */
export function validateAnswer(question: Question, submission: { answers?: unknown; answer?: unknown }): AnswerCheck {
  const byField = new Map<QuestionField, unknown>();
  const issues =
    submission.answer === undefined
      ? collectAnswers(question, submission.answers, byField)
      : collectSingleAnswer(question, submission, byField);
  const answers: Record<string, AnswerValue> = {};
  for (const field of question.fields) {
    if (!byField.has(field)) {
      if (field.required && submission.answer === undefined) issues.push(missingAnswerIssue(field));
      continue;
    }
    const value = byField.get(field);
    const issue = validateFieldValue(field, value);
    if (issue) issues.push({ path: `answers.${field.key}`, ...issue });
    else answers[field.key] = value as AnswerValue;
  }
  return issues.length === 0 ? { ok: true, answers } : { ok: false, issues: issues };
}

function missingAnswerIssue(field: QuestionField): ValidationIssue {
  return {
    path: `answers.${field.key}`,
    message: `"${field.question}" has no answer`,
    ...allowedValues(field),
  };
}

function collectSingleAnswer(
  question: Question,
  submission: { answer?: unknown; answers?: unknown },
  byField: Map<QuestionField, unknown>,
): ValidationIssue[] {
  if (submission.answers !== undefined)
    return [{ path: 'answers', message: 'send either "answers" or "answer", not both' }];
  const [field, ...more] = question.fields;
  if (!field || more.length > 0) {
    const keys = question.fields.map((f) => f.key);
    return [
      {
        path: 'answer',
        message: 'this question has several fields; send "answers" with a value for each',
        allowed: keys,
      },
    ];
  }
  byField.set(field, submission.answer);
  return [];
}

function collectAnswers(question: Question, answers: unknown, byField: Map<QuestionField, unknown>): ValidationIssue[] {
  const keys = question.fields.map((field) => field.key);
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) {
    return [{ path: 'answers', message: 'must be an object with a value for each field', allowed: keys }];
  }
  const issues: ValidationIssue[] = [];
  for (const [name, value] of Object.entries(answers)) {
    const field = question.fields.find((f) => f.key === name) ?? question.fields.find((f) => f.question === name);
    if (!field) issues.push({ path: `answers.${name}`, message: 'unknown field', allowed: keys });
    else if (byField.has(field)) issues.push({ path: `answers.${name}`, message: `${field.key} is answered twice` });
    else byField.set(field, value);
  }
  return issues;
}

function allowedValues(field: QuestionField): { allowed?: string[] } {
  const choices = field.options?.map((option) => option.label) ?? schemaChoices(field.schema);
  return choices ? { allowed: choices } : {};
}

/** Hint on how to send a free answer, if the field allows one. */
function otherHint(field: QuestionField): string {
  return field.allowOther ? ' (for a custom answer, send {"other": "text"})' : '';
}

/** Validates one value against its field. */
export function validateFieldValue(field: QuestionField, value: unknown): ValueIssue | undefined {
  if (!field.options) return field.schema ? validateValue(field.schema, value) : validateFreeValue(value);
  if (field.multiSelect) return validateOptions(field, value);
  if (Array.isArray(value)) return { message: 'choose only one option', ...allowedValues(field) };
  return validateOption(field, value);
}

function validateFreeValue(value: unknown): ValueIssue | undefined {
  if (typeof value === 'string') return value.trim() === '' ? { message: 'must not be empty' } : undefined;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return undefined;
  return { message: 'must be text, a number, true or false' };
}

function validateOption(field: QuestionField, value: unknown): ValueIssue | undefined {
  if (typeof value === 'string') {
    if (field.options?.some((option) => option.label === value)) return undefined;
    return {
      message: `${JSON.stringify(value.slice(0, 200))} is not one of the options${otherHint(field)}`,
      ...allowedValues(field),
    };
  }
  if (!isOtherValue(value)) return { message: 'must be the label of an option', ...allowedValues(field) };
  if (!field.allowOther) return { message: 'this question does not accept "other"', ...allowedValues(field) };
  return value.other.trim() === '' ? { message: '"other" must not be empty' } : undefined;
}

const MAX_ISSUES = 20;

function validateOptions(field: QuestionField, value: unknown): ValueIssue | undefined {
  if (!Array.isArray(value)) return { message: 'must be a list of labels', ...allowedValues(field) };
  if (value.length === 0 && field.required) return { message: 'choose at least one', ...allowedValues(field) };
  const issues = value.flatMap((choice) => validateOption(field, choice) ?? []).slice(0, MAX_ISSUES);
  const [first] = issues;
  if (first) return { ...first, message: issues.map((issue) => issue.message).join('; ') };
  const labels = value.filter((choice) => typeof choice === 'string');
  if (new Set(labels).size < labels.length) return { message: 'choose each option only once', ...allowedValues(field) };
  if (value.length - labels.length > 1) return { message: 'use "other" only once', ...allowedValues(field) };
  return undefined;
}

function isOtherValue(value: unknown): value is { other: string } {
  return isJsonObject(value) && Object.keys(value).length === 1 && typeof value.other === 'string';
}

/** Turns a typed message into an answer if the question has exactly one field that takes free text. */
export function parseTextAnswer(question: Question, text: string): AnswerValue | undefined {
  const [field, ...more] = question.fields;
  if (!field || more.length > 0) return undefined;
  if (field.schema) return isFreeTextSchema(field.schema) && !validateFieldValue(field, text) ? text : undefined;
  if (!field.options) return text;
  if (!field.allowOther) return undefined;
  return field.multiSelect ? [{ other: text }] : { other: text };
}

/** The default answers, if every required field has one. */
export function defaultAnswers(fields: QuestionField[]): Record<string, AnswerValue> | undefined {
  const answers: Record<string, AnswerValue> = {};
  for (const field of fields) {
    if (field.default !== undefined) answers[field.key] = field.default;
    else if (field.required) return undefined;
  }
  return answers;
}
