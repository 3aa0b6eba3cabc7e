import type { AnswerValue, Question, QuestionField, ValidationIssue } from '#contract/question';
import { isJsonObject, parseJson } from '#core/json';
import { validateAnswer, validateFieldValue } from '#core/questions/validate-answer';
import type { ValueIssue } from '#core/schema/validate-value';
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
    const value = convertFlagValues(questionField, values);
    const issue = findFlagIssue(questionField, values, value);
    if (issue) issues.push({ path: `answers.${questionField.key}`, ...issue });
    else answers[questionField.key] = value;
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
  const body = parseJson(text);
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

const BOOLEAN_WORDS: Record<string, boolean> = { yes: true, true: true, no: false, false: false };

/** Converts the values to what the field takes. What does not fit stays text, and is an issue. */
function convertFlagValues(field: QuestionField, { texts, others }: FieldFlagValues): AnswerValue {
  const control = chooseControl(field);
  const [text = ''] = texts;
  switch (control.kind) {
    case 'one':
    case 'many': {
      const labels = control.options.map(({ label }) => label);
      // An empty value means that no option is chosen.
      const picked = texts.filter((label) => label !== '').map((label) => matchName(labels, label) ?? label);
      const choices = [...picked, ...others.map((other) => ({ other }))];
      return control.kind === 'many' || choices.length > 1 ? choices : (choices[0] ?? '');
    }
    case 'flag':
      return BOOLEAN_WORDS[text.trim().toLowerCase()] ?? text;
    case 'number':
      return parseDecimal(text) ?? text;
    case 'line':
      return text.trim();
    case 'text':
      return text;
  }
}

/** Returns the first issue of a value, worded for a command line. */
function findFlagIssue(field: QuestionField, values: FieldFlagValues, value: AnswerValue): ValueIssue | undefined {
  const { kind } = chooseControl(field);
  const isChoice = kind === 'one' || kind === 'many';
  if (!isChoice && values.others.length > 0) return { message: 'has no "other" option: use --field' };
  if (!isChoice && values.texts.length > 1) return { message: 'takes only one value' };
  const issue = validateFieldValue(field, value);
  if (!issue) return undefined;
  const message = issue.message.replaceAll('send {"other": "text"}', 'use --other').replace(/, without quotes$/, '');
  return { ...issue, message };
}
