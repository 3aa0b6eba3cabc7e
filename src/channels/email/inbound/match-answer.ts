import { toSingleLine, truncateCharacters } from '#channels/email/outbound/content';
import { canChooseByNumber, listEmailChoices } from '#channels/email/outbound/reply-instructions';
import { createLabelMatcher, type LabelMatcher, normalizeLabel } from '#channels/match-label';
import { findClosestMatch } from '#contract/error-messages';
import type { AnswerValue, OtherAnswer, Question, QuestionField } from '#contract/question';
import { NO_LABEL, YES_LABEL } from '#core/questions/create';
import { validateFieldValue } from '#core/questions/validate-answer';
import { isMultiSelectField } from '#presentation/field-control';

/** A value with its comment, or why the text is no valid value. */
export type FieldMatch = { ok: true; value: AnswerValue; comment: string } | { ok: false; problem: string };

/** Parses the text as a value of this field. */
export function matchFieldValue(question: Question, field: QuestionField, text: string): FieldMatch {
  if (text.trim() === '') return { ok: false, problem: 'Your reply contains no answer.' };
  if (listEmailChoices(field).length > 0) return matchChoiceValue(question, field, text);
  return matchWrittenValue(field, text);
}

const GREETING =
  /^(hi|hello|hey|dear|good (morning|afternoon|evening)|hallo|guten tag|bonjour|hola|ciao)\b[^?:]{0,40}$/i;

function matchChoiceValue(question: Question, field: QuestionField, text: string): FieldMatch {
  const { first: firstParagraph, rest: otherParagraphs } = splitParagraphs(text, !question.confirms);
  const match = matchChoices(question, field, firstParagraph);
  if (!match.ok) return { ok: false, problem: describeUnknownChoice(field, match.unmatched) };
  if (question.confirms && match.choices.includes(YES_LABEL) && !isPlainYes(text)) return MORE_THAN_YES;
  const isMultiSelect = isMultiSelectField(field);
  const linesBelow = isMultiSelect ? [] : firstParagraph.slice(1);
  const problem = isMultiSelect ? undefined : findConflict(question, field, linesBelow, match.choices[0]);
  if (problem) return { ok: false, problem };
  const value = (isMultiSelect ? match.choices : match.choices[0]) as AnswerValue;
  return checkFieldValue(field, value, [...linesBelow, '', ...otherParagraphs].join('\n'));
}

const PLAIN_YES = [YES_LABEL.toLowerCase(), 'yes'];
const MORE_THAN_YES: FieldMatch = {
  ok: false,
  problem: `Your reply says more than “${YES_LABEL}”, which could change its meaning. Reply with nothing else, or answer via the link to add a comment.`,
};

/** Returns whether the text is a yes and nothing else, since a yes runs an action. */
function isPlainYes(text: string): boolean {
  return PLAIN_YES.includes(text.trim().toLowerCase().replace(/[.!]$/, ''));
}

/** Returns a problem if lines below a choice name another choice. Otherwise they are a comment. */
function findConflict(
  question: Question,
  field: QuestionField,
  linesBelow: string[],
  chosen: unknown,
): string | undefined {
  const named = linesBelow
    .map((line) => findNamedChoice(question, field, line))
    .filter((choice) => choice !== undefined);
  if (named.some((other) => other !== chosen)) return 'Your reply names more than one option. Choose only one.';
  return undefined;
}

function describeUnknownChoice(field: QuestionField, unmatched: string): string {
  const labels = listEmailChoices(field).map(({ label }) => label);
  const closest = findClosestMatch(unmatched.slice(0, 200), labels);
  const hint = closest ? ` Did you mean “${toSingleLine(closest)}”?` : '';
  return `“${truncateCharacters(toSingleLine(unmatched), 200)}” is not one of the options.${hint}`;
}

function splitParagraphs(text: string, skipsGreeting: boolean): { first: string[]; rest: string[] } {
  const lines = text.trim().split('\n');
  const end = lines.findIndex((line) => line.trim() === '');
  if (end < 0) return { first: lines, rest: [] };
  const [first, rest] = [lines.slice(0, end), lines.slice(end + 1)];
  const isGreeting = skipsGreeting && end === 1 && GREETING.test(lines[0]?.trim() ?? '');
  return isGreeting ? splitParagraphs(rest.join('\n'), false) : { first, rest };
}

/** Matches the whole text if it is valid; else its first line, with the rest as a comment. */
function matchWrittenValue(field: QuestionField, text: string): FieldMatch {
  const whole = checkFieldValue(field, parseWrittenValue(field, text.trim()), '');
  if (whole.ok) return whole;
  const [first = '', ...rest] = text.trim().split('\n');
  return checkFieldValue(field, parseWrittenValue(field, first.trim()), rest.join('\n'));
}

const BOOLEAN_WORDS: Record<string, boolean> = {
  yes: true,
  true: true,
  y: true,
  no: false,
  false: false,
  n: false,
};

/** Converts text to the schema's type. A doubtful number stays text, so that validation reports what is expected. */
function parseWrittenValue({ schema }: QuestionField, text: string): AnswerValue {
  if (!schema) return text;
  if (schema.type === 'number' || schema.type === 'integer')
    return /^[-+]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  const word = text.toLowerCase().replace(/[.!]$/, '');
  if (schema.type === 'boolean') return Object.hasOwn(BOOLEAN_WORDS, word) ? (BOOLEAN_WORDS[word] ?? text) : text;
  if (schema.type === 'string' && schema.format) return text.replace(/^<(.*)>$/, '$1').replace(/^mailto:/i, '');
  return text;
}

function checkFieldValue(field: QuestionField, value: AnswerValue, comment: string): FieldMatch {
  const issue = validateFieldValue(field, value);
  if (!issue) return { ok: true, value, comment: comment.trim() };
  const subject = typeof value === 'string' ? `“${truncateCharacters(toSingleLine(value), 200)}”` : 'Your answer';
  return { ok: false, problem: `${subject} is not valid: ${issue.message.replace(/, sent as JSON.*$/, '')}.` };
}

/** The matched choices, or the text that matches none. */
export type ChoiceMatch = { ok: true; choices: (string | OtherAnswer)[] } | { ok: false; unmatched: string };

/** Returns the choice that the text names. A near miss matches nothing, since its meaning is unclear. */
export function findNamedChoice(question: Question, field: QuestionField, text: string): string | undefined {
  return createChoiceMatcher(question, field)(text);
}

/** Creates a matcher for many texts, so that labels are normalized once. */
function createChoiceMatcher(question: Question, field: QuestionField): LabelMatcher {
  const labels = listEmailChoices(field).map(({ label }) => label);
  const matchLabel = createLabelMatcher(labels);
  const hasNumbers = canChooseByNumber(question, field);
  return (text) => {
    const match = matchLabel(text);
    if (match !== undefined) return match;
    const normalized = normalizeLabel(text);
    if (question.confirms) return { yes: YES_LABEL, no: NO_LABEL }[normalized];
    return hasNumbers ? findByNumber(labels, normalized) : undefined;
  };
}

/** Matches `2`, `#2`, or `2. Blue` if the second label is "Blue". */
function findByNumber(labels: string[], normalized: string): string | undefined {
  const [, number, labelText] = /^#?(\d{1,3})(?:[.):]? ?(?:- )?(\D.*))?$/.exec(normalized) ?? [];
  const label = labels[Number(number) - 1];
  return labelText === undefined || (label !== undefined && normalizeLabel(label) === normalizeLabel(labelText))
    ? label
    : undefined;
}

/** Returns the choices that these lines name. */
function matchChoices(question: Question, field: QuestionField, lines: string[]): ChoiceMatch {
  const choiceLines = isMultiSelectField(field) ? lines : lines.slice(0, 1);
  const matchLabel = createChoiceMatcher(question, field);
  const choices: (string | OtherAnswer)[] = [];
  for (const line of choiceLines) {
    const match = matchLine(field, matchLabel, line);
    if (!match.ok) return match;
    choices.push(...match.choices);
  }
  return { ok: true, choices: [...new Set(choices)] };
}

const OTHER_ANSWER = /^\s*(?:[-*•]\s*)?other\s*:\s*(\S.*)$/is;

function matchLine(field: QuestionField, matchLabel: LabelMatcher, line: string): ChoiceMatch {
  const label = matchLabel(line.replace(/^\s*[-*•]\s+/, ''));
  if (label !== undefined) return { ok: true, choices: [label] };
  const other = parseOther(field, line);
  if (other) return { ok: true, choices: [other] };
  return isMultiSelectField(field) ? matchSeveral(field, matchLabel, line) : { ok: false, unmatched: line.trim() };
}

function parseOther({ options, allowOther }: QuestionField, text: string): OtherAnswer | undefined {
  const [, other] = options && allowOther ? (OTHER_ANSWER.exec(text) ?? []) : [];
  return other === undefined ? undefined : { other: other.trim() };
}

const OTHER_PREFIX = /^\s*(?:[-*•]\s*)?other\s*:/i;

/** Splits at commas and semicolons. A label that contains them is matched as a whole, longest first. */
function matchSeveral(field: QuestionField, matchLabel: LabelMatcher, line: string): ChoiceMatch {
  const parts = line.split(/[,;]/);
  const maxParts = Math.max(1, ...listEmailChoices(field).map(({ label }) => label.split(/[,;]/).length));
  const choices = new Set<string | OtherAnswer>();
  for (let index = 0; index < parts.length; ) {
    const part = parts[index] ?? '';
    // All that follows belongs to "other", so it is parsed only once.
    const other = OTHER_PREFIX.test(part) ? parseOther(field, parts.slice(index).join(',')) : undefined;
    if (other) return { ok: true, choices: [...choices, other] };
    const match = part.trim() === '' ? { end: index + 1 } : matchLongest(matchLabel, parts, index, maxParts);
    if (!match) return { ok: false, unmatched: part.trim() };
    if (match.label !== undefined) choices.add(match.label);
    index = match.end;
  }
  return { ok: true, choices: [...choices] };
}

function matchLongest(
  matchLabel: LabelMatcher,
  parts: string[],
  start: number,
  maxParts: number,
): { end: number; label?: string } | undefined {
  for (let end = Math.min(parts.length, start + maxParts); end > start; end -= 1) {
    const label = matchLabel(parts.slice(start, end).join(','));
    if (label !== undefined) return { end, label };
  }
  return undefined;
}
