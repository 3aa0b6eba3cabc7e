import { toSingleLine, truncateCharacters } from '#channels/email/outbound/content';
import { canChooseByNumber, isMultiSelectReply, listEmailChoices } from '#channels/email/outbound/reply-instructions';
import { findClosestMatch } from '#contract/error-messages';
import type { AnswerValue, OtherAnswer, Question, QuestionField } from '#contract/question';
import { NO_LABEL, YES_LABEL } from '#core/questions/create';
import { validateFieldValue } from '#core/questions/validate-answer';

/** A value and what was said beside it, or why there is none. */
export type FieldMatch = { ok: true; value: AnswerValue; comment: string } | { ok: false; problem: string };

/** What these words say to that field. */
export function matchFieldValue(question: Question, field: QuestionField, text: string): FieldMatch {
  if (text.trim() === '') return { ok: false, problem: 'There was no answer in it.' };
  if (listEmailChoices(field).length > 0) return matchChoiceValue(question, field, text);
  return matchWrittenValue(field, text);
}

const GREETING =
  /^(hi|hello|hey|dear|good (morning|afternoon|evening)|hallo|guten tag|bonjour|hola|ciao)\b[^?:]{0,40}$/i;

function matchChoiceValue(question: Question, field: QuestionField, text: string): FieldMatch {
  const { first, rest } = splitParagraphs(text, !question.confirms);
  const chosen = matchChoices(question, field, first);
  if (!chosen.ok) return { ok: false, problem: describeUnknownChoice(field, chosen.written) };
  if (question.confirms && chosen.choices.includes(YES_LABEL) && !isPlainYes(text)) return MORE_THAN_YES;
  const several = isMultiSelectReply(field);
  const beside = several ? [] : first.slice(1);
  const problem = several ? undefined : findConflict(question, field, beside, chosen.choices[0]);
  if (problem) return { ok: false, problem };
  const value = (several ? chosen.choices : chosen.choices[0]) as AnswerValue;
  return checkFieldValue(field, value, [...beside, '', ...rest].join('\n'));
}

const PLAIN_YES = [YES_LABEL.toLowerCase(), 'yes'];
const MORE_THAN_YES: FieldMatch = {
  ok: false,
  problem: `There was more in it than “${YES_LABEL}”, which could change what it means. A yes has to be all that you write; to say more, answer by the link.`,
};

/** It lets something happen, so nothing may stand beside it. */
function isPlainYes(text: string): boolean {
  return PLAIN_YES.includes(text.trim().toLowerCase().replace(/[.!]$/, ''));
}

/** More right below a choice is a comment, unless it takes the choice back. */
function findConflict(question: Question, field: QuestionField, beside: string[], chosen: unknown): string | undefined {
  const others = beside.map((line) => findNamedChoice(question, field, line)).filter((one) => one !== undefined);
  if (others.some((other) => other !== chosen)) return 'More than one option was in it, and only one may be chosen.';
  return undefined;
}

function describeUnknownChoice(field: QuestionField, written: string): string {
  const labels = listEmailChoices(field).map(({ label }) => label);
  const near = findClosestMatch(written.slice(0, 200), labels);
  const hint = near ? ` Did you mean “${toSingleLine(near)}”?` : '';
  return `“${truncateCharacters(toSingleLine(written), 200)}” is not one of the options.${hint}`;
}

function splitParagraphs(text: string, skipsGreeting: boolean): { first: string[]; rest: string[] } {
  const lines = text.trim().split('\n');
  const end = lines.findIndex((line) => line.trim() === '');
  if (end < 0) return { first: lines, rest: [] };
  const [first, rest] = [lines.slice(0, end), lines.slice(end + 1)];
  const isGreeting = skipsGreeting && end === 1 && GREETING.test(lines[0]?.trim() ?? '');
  return isGreeting ? splitParagraphs(rest.join('\n'), false) : { first, rest };
}

/** All of it if that will do; else its first line, with the rest as a comment. */
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

/** As the schema wants it. What is not surely a number stays text, and is refused with what would be right. */
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
  const fault = validateFieldValue(field, value);
  if (!fault) return { ok: true, value, comment: comment.trim() };
  const written =
    typeof value === 'string' ? `“${truncateCharacters(toSingleLine(value), 200)}” will not do: it ` : 'It ';
  return { ok: false, problem: `${written}${fault.message.replace(/, sent as JSON.*$/, '')}.` };
}

/** What was chosen, or what was written instead. */
export type ChoiceMatch = { ok: true; choices: (string | OtherAnswer)[] } | { ok: false; written: string };

/** No label is as long. */
const MAX_LABEL_LENGTH = 1_000;

const LEADING_MARKS = new Set(' "\'“”*_`([-');
const TRAILING_MARKS = new Set(' "\'“”*_`)].,;:!-');

/** How people write a label: in whatever case, with a bullet before, a full stop after, or in quotes. */
function normalizeLabel(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().replace(/[‘’]/g, "'").replace(/\s+/g, ' ');
  let [from, to] = [0, words.length];
  while (from < to && LEADING_MARKS.has(words.charAt(from))) from += 1;
  while (to > from && TRAILING_MARKS.has(words.charAt(to - 1))) to -= 1;
  return words.slice(from, to);
}

type LabelMatcher = (words: string) => string | undefined;

/** The one choice that these words name. A near miss is none: it could be anything. */
export function findNamedChoice(question: Question, field: QuestionField, words: string): string | undefined {
  return createLabelMatcher(question, field)(words);
}

/** The same for many words. */
function createLabelMatcher(question: Question, field: QuestionField): LabelMatcher {
  const labels = listEmailChoices(field).map(({ label }) => label);
  const plains = labels.map(normalizeLabel);
  const hasNumbers = canChooseByNumber(question, field);
  return (words) => {
    if (labels.includes(words.trim())) return words.trim();
    const meant = words.length > MAX_LABEL_LENGTH ? '' : normalizeLabel(words);
    if (meant === '') return undefined;
    const alike = labels.filter((_label, at) => plains[at] === meant);
    if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined;
    if (question.confirms) return { yes: YES_LABEL, no: NO_LABEL }[meant];
    return hasNumbers ? findByNumber(labels, meant) : undefined;
  };
}

/** `2`, `#2`, or `2. Blue` if that is what the second one is. */
function findByNumber(labels: string[], meant: string): string | undefined {
  const [, number, words] = /^#?(\d{1,3})(?:[.):]? ?(?:- )?(\D.*))?$/.exec(meant) ?? [];
  const label = labels[Number(number) - 1];
  return words === undefined || (label !== undefined && normalizeLabel(label) === normalizeLabel(words))
    ? label
    : undefined;
}

/** The choices that these lines name, and how many of the lines that took. */
function matchChoices(question: Question, field: QuestionField, lines: string[]): ChoiceMatch {
  const given = isMultiSelectReply(field) ? lines : lines.slice(0, 1);
  const named = createLabelMatcher(question, field);
  const choices: (string | OtherAnswer)[] = [];
  for (const line of given) {
    const chosen = matchLine(field, named, line);
    if (!chosen.ok) return chosen;
    choices.push(...chosen.choices);
  }
  return { ok: true, choices: [...new Set(choices)] };
}

const OTHER_ANSWER = /^\s*(?:[-*•]\s*)?other\s*:\s*(\S.*)$/is;

function matchLine(field: QuestionField, named: LabelMatcher, line: string): ChoiceMatch {
  const whole = named(line.replace(/^\s*[-*•]\s+/, ''));
  if (whole !== undefined) return { ok: true, choices: [whole] };
  const other = parseOther(field, line);
  if (other) return { ok: true, choices: [other] };
  return isMultiSelectReply(field) ? matchSeveral(field, named, line) : { ok: false, written: line.trim() };
}

function parseOther({ options, allowOther }: QuestionField, text: string): OtherAnswer | undefined {
  const [, other] = options && allowOther ? (OTHER_ANSWER.exec(text) ?? []) : [];
  return other === undefined ? undefined : { other: other.trim() };
}

const OTHER_PREFIX = /^\s*(?:[-*•]\s*)?other\s*:/i;

/** Between commas; a label that has commas of its own is taken as a whole, the longest first. */
function matchSeveral(field: QuestionField, named: LabelMatcher, line: string): ChoiceMatch {
  const parts = line.split(/[,;]/);
  const longest = Math.max(1, ...listEmailChoices(field).map(({ label }) => label.split(/[,;]/).length));
  const choices = new Set<string | OtherAnswer>();
  for (let at = 0; at < parts.length; ) {
    const part = parts[at] ?? '';
    // Whatever follows is part of it, so this is looked at once.
    const other = OTHER_PREFIX.test(part) ? parseOther(field, parts.slice(at).join(',')) : undefined;
    if (other) return { ok: true, choices: [...choices, other] };
    const found = part.trim() === '' ? { end: at + 1 } : matchLongest(named, parts, at, longest);
    if (!found) return { ok: false, written: part.trim() };
    if (found.label !== undefined) choices.add(found.label);
    at = found.end;
  }
  return { ok: true, choices: [...choices] };
}

function matchLongest(
  named: LabelMatcher,
  parts: string[],
  at: number,
  longest: number,
): { end: number; label?: string } | undefined {
  for (let end = Math.min(parts.length, at + longest); end > at; end -= 1) {
    const label = named(parts.slice(at, end).join(','));
    if (label !== undefined) return { end, label };
  }
  return undefined;
}
