import type { AnswerValue, Question, QuestionField, ValidationIssue } from '#contract/question';
import { validateAnswer, validateFieldValue } from '#core/questions/validate-answer';
import { describeSchema, schemaChoices, type ValueIssue } from '#core/schema/validate-value';
import { chooseControl } from '#presentation/field-control';
import { CommandError, EXIT, formatAnswerIssues, usageError } from './errors';

/** An answer on the command line, in place of somebody who is asked. */
export interface AnswerFlags {
  /** `q1=PostgreSQL`, by key, header or text of the field; several of a field are several choices. */
  field?: string[];
  /** `q1=text`: something that is not among the options. */
  other?: string[];
  comment?: string;
  /** The body is on stdin. */
  isBody?: boolean;
}

export interface ParsedAnswer {
  answers: Record<string, AnswerValue>;
  comment?: string;
}

/** The answer that the flags make. Throws with every fault at once, and nothing was sent. */
export async function parseAnswerFlags(
  question: Question,
  flags: AnswerFlags,
  readStdin: () => Promise<string>,
): Promise<ParsedAnswer> {
  const isFlagged = (flags.field ?? flags.other) !== undefined;
  if (flags.isBody && isFlagged)
    throw usageError('The answer is either on stdin (-) or in --field and --other, not in both.');
  return flags.isBody ? answerFromBody(question, await readStdin(), flags.comment) : answerFromFlags(question, flags);
}

function answerFromBody(question: Question, text: string, comment: string | undefined): ParsedAnswer {
  const body = parseStdinAnswer(text, question);
  const checked = validateAnswer(question, body);
  if (!checked.ok) throw invalidAnswerError(checked.faults);
  return withComment(checked.answers, comment ?? body.comment);
}

function answerFromFlags(question: Question, { field = [], other = [], comment }: AnswerFlags): ParsedAnswer {
  const said = groupFlagsByField(question.fields, field, other);
  const answers: Record<string, AnswerValue> = {};
  const faults: ValidationIssue[] = [];
  for (const [one, what] of said) {
    const made = parseFieldValue(one, what);
    if (made.ok) answers[one.key] = made.value;
    else faults.push({ path: `answers.${one.key}`, ...made.fault });
  }
  // What was said and does not fit is a fault already, and not missing.
  const rest = { ...question, fields: question.fields.filter((one) => !said.has(one)) };
  const missing = validateAnswer(rest, { answers: {} });
  if (!missing.ok) faults.push(...missing.faults);
  if (faults.length > 0) throw invalidAnswerError(faults);
  return withComment(answers, comment);
}

function groupFlagsByField(
  fields: QuestionField[],
  texts: string[],
  others: string[],
): Map<QuestionField, FieldFlagValues> {
  const all = new Map<QuestionField, FieldFlagValues>();
  const note = (flag: '--field' | '--other', given: string) => {
    const { field, value } = parseFieldFlag(fields, flag, given);
    const said = all.get(field) ?? { texts: [], others: [] };
    said[flag === '--field' ? 'texts' : 'others'].push(value);
    all.set(field, said);
  };
  for (const text of texts) note('--field', text);
  for (const other of others) note('--other', other);
  return all;
}

function withComment(answers: Record<string, AnswerValue>, comment: string | undefined): ParsedAnswer {
  return comment === undefined ? { answers } : { answers, comment };
}

function invalidAnswerError(faults: ValidationIssue[]): CommandError {
  return new CommandError(EXIT.refused, formatAnswerIssues(faults), 'invalid_answer', faults);
}

export interface StdinAnswer {
  answers?: unknown;
  answer?: unknown;
  comment?: string;
}

const ACCEPTED_SHAPES = '{"answers": {"q1": "Yes"}}, {"answer": "Yes"} or {"q1": "Yes"}';

/** What was piped in: a body as the API takes it, or the answers alone. */
function parseStdinAnswer(text: string, { fields }: Pick<Question, 'fields'>): StdinAnswer {
  const body = parseStdinObject(text);
  const isField = (name: string) => fields.some(({ key, question }) => key === name || question === name);
  const isBare = !('answers' in body || 'answer' in body) || Object.keys(body).some(isField);
  if (isBare) return { answers: body };
  const { answers, answer, comment, ...more } = body;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined)
    throw usageError(`stdin has ${JSON.stringify(unknown)}, which is no part of an answer. Write ${ACCEPTED_SHAPES}.`);
  if (comment !== undefined && typeof comment !== 'string')
    throw usageError('The comment on stdin is no text. Put it into quotes.');
  return { answers, answer, comment };
}

function parseStdinObject(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw usageError(`What came on stdin is no JSON. Write ${ACCEPTED_SHAPES}.`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw usageError(`What came on stdin is no object. Write ${ACCEPTED_SHAPES}.`);
  return body as Record<string, unknown>;
}

/** One of these, as written; else the only one that differs by nothing but capitals. */
function matchName(names: readonly string[], wanted: string): string | undefined {
  if (names.includes(wanted)) return wanted;
  const [only, ...more] = names.filter((name) => name.toLowerCase() === wanted.toLowerCase());
  return more.length === 0 ? only : undefined;
}

/** A field and what it is to hold, from `q1=PostgreSQL`. The name ends at the first `=` that makes it one: texts may have some. */
function parseFieldFlag(
  fields: readonly QuestionField[],
  flag: string,
  given: string,
): { field: QuestionField; value: string } {
  for (let at = given.indexOf('='); at >= 0; at = given.indexOf('=', at + 1)) {
    const field = findFieldByName(fields, given.slice(0, at));
    if (field) return { field, value: given.slice(at + 1) };
  }
  const said = JSON.stringify(given.slice(0, 100));
  const fault = given.includes('=') ? `names no field of this question` : 'has no "="';
  throw usageError(`${flag} ${said} ${fault}. Write name=value, with one of ${listFieldNames(fields)}.`);
}

function findFieldByName(fields: readonly QuestionField[], name: string): QuestionField | undefined {
  const exact = fields.find(({ key }) => key === name) ?? fields.find(({ question }) => question === name);
  if (exact) return exact;
  const header = matchName(
    fields.map((field) => field.header),
    name,
  );
  const headed = fields.filter((field) => field.header === header);
  return headed.length === 1 ? headed[0] : undefined;
}

function listFieldNames(fields: readonly QuestionField[]): string {
  return fields.map(({ key, header }) => `${key} (${header})`).join(', ');
}

/** What the flags say of one field. */
interface FieldFlagValues {
  texts: string[];
  others: string[];
}

export type FieldValueResult = { ok: true; value: AnswerValue } | { ok: false; fault: ValueIssue };

/** A value of the kind that the field takes, checked as the server checks it; the words are for a command line. */
function parseFieldValue(field: QuestionField, said: FieldFlagValues): FieldValueResult {
  const made = convertFlagValues(field, said);
  if (!made.ok) return made;
  const fault = validateFieldValue(field, made.value);
  return fault ? { ok: false, fault: rewordForFlags(fault) } : made;
}

function convertFlagValues(field: QuestionField, { texts, others }: FieldFlagValues): FieldValueResult {
  const { kind } = chooseControl(field);
  if (kind === 'one' || kind === 'many') return parseChoice(field, kind, { texts, others });
  const [text = '', ...more] = texts;
  if (others.length > 0) return invalidValue('takes no "other": give what you want to say with --field');
  if (more.length > 0) return invalidValue('takes one value, and was given several');
  if (kind === 'flag') return parseBoolean(text);
  if (kind === 'number') return parseNumber(field, text);
  return validValue(kind === 'line' ? text.trim() : text);
}

function parseChoice(field: QuestionField, kind: 'one' | 'many', { texts, others }: FieldFlagValues): FieldValueResult {
  const labels = field.options?.map(({ label }) => label) ?? schemaChoices(field.schema) ?? [];
  // Nothing at all is what somebody chooses who wants none of them.
  const picked = texts.filter((text) => text !== '').map((text) => matchName(labels, text) ?? text);
  const all = [...picked, ...others.map((other) => ({ other }))];
  if (kind === 'many') return validValue(all);
  if (all.length > 1) return { ok: false, fault: { message: 'only one may be chosen', allowed: labels } };
  return validValue(all[0] ?? '');
}

const BOOLEAN_WORDS: Record<string, boolean> = { yes: true, true: true, no: false, false: false };

function parseBoolean(text: string): FieldValueResult {
  const value = BOOLEAN_WORDS[text.trim().toLowerCase()];
  return value === undefined ? invalidValue('must be yes or no', ['yes', 'no']) : validValue(value);
}

const NUMBER_PATTERN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function parseNumber({ schema }: QuestionField, text: string): FieldValueResult {
  if (NUMBER_PATTERN.test(text.trim())) return validValue(Number(text));
  return invalidValue(
    `must be ${schema ? describeSchema(schema) : 'a number'}, not ${JSON.stringify(text.slice(0, 100))}`,
  );
}

function validValue(value: AnswerValue): FieldValueResult {
  return { ok: true, value };
}

function invalidValue(message: string, allowed?: string[]): FieldValueResult {
  return { ok: false, fault: { message, ...(allowed && { allowed }) } };
}

/** How to write it over HTTP helps nobody here. */
function rewordForFlags({ message, ...rest }: ValueIssue): ValueIssue {
  return { message: message.replaceAll('send {"other": "text"}', 'use --other'), ...rest };
}
