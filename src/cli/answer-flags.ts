import type { AnswerValue, Question, QuestionField, ValidationIssue } from '#contract/question';
import { isJsonObject } from '#core/json';
import { validateAnswer, validateFieldValue } from '#core/questions/validate-answer';
import { describeSchema } from '#core/schema/describe-schema';
import { schemaChoices, type ValueIssue } from '#core/schema/validate-value';
import { chooseControl } from '#presentation/field-control';
import { parseDecimal } from '#presentation/form-state';
import { CommandError, EXIT, formatAnswerIssues, usageError } from './errors';

/** An answer given by command-line flags instead of a prompt. */
export interface AnswerFlags {
  /** `q1=PostgreSQL`: a field by key, header or text. Repeat it to choose several options. */
  field?: string[];
  /** `q1=text`: an answer that is not among the options. */
  other?: string[];
  comment?: string;
  /** Read the request body from stdin. */
  isBody?: boolean;
}

interface ParsedAnswer {
  answers: Record<string, AnswerValue>;
  comment: string | undefined;
}

/** Builds the answer from the flags. Throws one error that lists all issues, before anything is sent. */
export async function parseAnswerFlags(
  question: Question,
  flags: AnswerFlags,
  readStdin: () => Promise<string>,
): Promise<ParsedAnswer> {
  const hasFieldFlags = (flags.field ?? flags.other) !== undefined;
  if (flags.isBody && hasFieldFlags)
    throw usageError('Pass the answer on stdin (-) or with --field and --other, not both.');
  return flags.isBody ? answerFromBody(question, await readStdin(), flags.comment) : answerFromFlags(question, flags);
}

function answerFromBody(question: Question, text: string, comment: string | undefined): ParsedAnswer {
  const body = parseStdinAnswer(text, question);
  const result = validateAnswer(question, body);
  if (!result.ok) throw invalidAnswerError(result.issues);
  return { answers: result.answers, comment: comment ?? body.comment };
}

function answerFromFlags(question: Question, { field = [], other = [], comment }: AnswerFlags): ParsedAnswer {
  const flagsByField = groupFlagsByField(question.fields, field, other);
  const answers: Record<string, AnswerValue> = {};
  const issues: ValidationIssue[] = [];
  for (const [questionField, values] of flagsByField) {
    const result = parseFieldValue(questionField, values);
    if (result.ok) answers[questionField.key] = result.value;
    else issues.push({ path: `answers.${questionField.key}`, ...result.issue });
  }
  // An invalid flag is already an issue, so its field does not also count as missing.
  const unanswered = { ...question, fields: question.fields.filter((field) => !flagsByField.has(field)) };
  const missingResult = validateAnswer(unanswered, { answers: {} });
  if (!missingResult.ok) issues.push(...missingResult.issues);
  if (issues.length > 0) throw invalidAnswerError(issues);
  return { answers, comment };
}

function groupFlagsByField(
  fields: QuestionField[],
  texts: string[],
  others: string[],
): Map<QuestionField, FieldFlagValues> {
  const valuesByField = new Map<QuestionField, FieldFlagValues>();
  const addFlag = (flag: '--field' | '--other', text: string) => {
    const { field, value } = parseFieldFlag(fields, flag, text);
    const values = valuesByField.get(field) ?? { texts: [], others: [] };
    values[flag === '--field' ? 'texts' : 'others'].push(value);
    valuesByField.set(field, values);
  };
  for (const text of texts) addFlag('--field', text);
  for (const other of others) addFlag('--other', other);
  return valuesByField;
}

function invalidAnswerError(issues: ValidationIssue[]): CommandError {
  return new CommandError(EXIT.refused, formatAnswerIssues(issues), 'invalid_answer', issues);
}

interface StdinAnswer {
  answers?: unknown;
  answer?: unknown;
  comment?: string;
}

const ACCEPTED_SHAPES = '{"answers": {"q1": "Yes"}}, {"answer": "Yes"} or {"q1": "Yes"}';

/** Parses stdin: either a complete request body or only the answers. */
function parseStdinAnswer(text: string, { fields }: Pick<Question, 'fields'>): StdinAnswer {
  const body = parseJsonIfValid(text);
  if (!isJsonObject(body)) throw usageError(`stdin must be a JSON object, such as ${ACCEPTED_SHAPES}.`);
  const isField = (name: string) => fields.some(({ key, question }) => key === name || question === name);
  const isBareAnswers = !('answers' in body || 'answer' in body) || Object.keys(body).some(isField);
  if (isBareAnswers) return { answers: body };
  const { answers, answer, comment, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw usageError(`Unknown property ${JSON.stringify(unknown)} on stdin. Use ${ACCEPTED_SHAPES}.`);
  if (comment !== undefined && typeof comment !== 'string') throw usageError('The comment on stdin must be a string.');
  return { answers, answer, comment };
}

function parseJsonIfValid(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the exact match, else the only match that differs in case. */
function matchName(names: readonly string[], name: string): string | undefined {
  if (names.includes(name)) return name;
  const [match, ...otherMatches] = names.filter((other) => other.toLowerCase() === name.toLowerCase());
  return otherMatches.length === 0 ? match : undefined;
}

/**
 * Parses `q1=PostgreSQL`. The name ends at the first `=` that yields a field name, because field texts may contain `=`.
 */
function parseFieldFlag(
  fields: readonly QuestionField[],
  flag: string,
  text: string,
): { field: QuestionField; value: string } {
  for (let index = text.indexOf('='); index >= 0; index = text.indexOf('=', index + 1)) {
    const field = findFieldByName(fields, text.slice(0, index));
    if (field) return { field, value: text.slice(index + 1) };
  }
  const shownFlag = JSON.stringify(text.slice(0, 100));
  const problem = text.includes('=') ? 'matches no field of this question' : 'has no "="';
  const names = fields.map(({ key, header }) => `${key} (${header})`).join(', ');
  throw usageError(`${flag} ${shownFlag} ${problem}. Use name=value with one of: ${names}.`);
}

function findFieldByName(fields: readonly QuestionField[], name: string): QuestionField | undefined {
  const exact = fields.find(({ key }) => key === name) ?? fields.find(({ question }) => question === name);
  if (exact) return exact;
  const headers = fields.map(({ header }) => header);
  const [field, ...otherFields] = fields.filter(({ header }) => header === matchName(headers, name));
  return otherFields.length === 0 ? field : undefined;
}

/** The flag values of one field. */
interface FieldFlagValues {
  texts: string[];
  others: string[];
}

type FieldValueResult = { ok: true; value: AnswerValue } | { ok: false; issue: ValueIssue };

/** Converts and validates a value as the server does, with messages worded for a command line. */
function parseFieldValue(field: QuestionField, values: FieldFlagValues): FieldValueResult {
  const result = convertFlagValues(field, values);
  if (!result.ok) return result;
  const issue = validateFieldValue(field, result.value);
  return issue ? { ok: false, issue: rewordForFlags(issue) } : result;
}

function convertFlagValues(field: QuestionField, { texts, others }: FieldFlagValues): FieldValueResult {
  const { kind } = chooseControl(field);
  if (kind === 'one' || kind === 'many') return parseChoice(field, kind, { texts, others });
  const [text = '', ...moreTexts] = texts;
  if (others.length > 0) return invalidValue('has no "other" option: use --field');
  if (moreTexts.length > 0) return invalidValue('takes only one value');
  if (kind === 'flag') return parseBoolean(text);
  if (kind === 'number') return parseNumber(field, text);
  return validValue(kind === 'line' ? text.trim() : text);
}

function parseChoice(field: QuestionField, kind: 'one' | 'many', { texts, others }: FieldFlagValues): FieldValueResult {
  const labels = field.options?.map(({ label }) => label) ?? schemaChoices(field.schema) ?? [];
  // An empty value means that no option is chosen.
  const picked = texts.filter((text) => text !== '').map((text) => matchName(labels, text) ?? text);
  const choices = [...picked, ...others.map((other) => ({ other }))];
  if (kind === 'many') return validValue(choices);
  if (choices.length > 1) return { ok: false, issue: { message: 'only one may be chosen', allowed: labels } };
  return validValue(choices[0] ?? '');
}

const BOOLEAN_WORDS: Record<string, boolean> = { yes: true, true: true, no: false, false: false };

function parseBoolean(text: string): FieldValueResult {
  const value = BOOLEAN_WORDS[text.trim().toLowerCase()];
  return value === undefined ? invalidValue('must be yes or no', ['yes', 'no']) : validValue(value);
}

function parseNumber({ schema }: QuestionField, text: string): FieldValueResult {
  const number = parseDecimal(text);
  if (number !== undefined) return validValue(number);
  return invalidValue(
    `must be ${schema ? describeSchema(schema) : 'a number'}, not ${JSON.stringify(text.slice(0, 100))}`,
  );
}

function validValue(value: AnswerValue): FieldValueResult {
  return { ok: true, value };
}

function invalidValue(message: string, allowed?: string[]): FieldValueResult {
  return { ok: false, issue: { message, ...(allowed && { allowed }) } };
}

/** Replaces the HTTP hint with one for the command line. */
function rewordForFlags({ message, ...rest }: ValueIssue): ValueIssue {
  return { message: message.replaceAll('send {"other": "text"}', 'use --other'), ...rest };
}
