import { choicesIn, takesSeveral } from '#channels/email/choices';
import { inOneLine, shortened } from '#channels/email/visible';
import { nearest } from '#contract/nearest';
import type { Field, Question, Value } from '#contract/question';
import { checkValue } from '#core/answers';
import { YES } from '#core/asking';
import { choiceNamed, choose } from './choose';

/** A value and what was said beside it, or why there is none. */
export type Taken = { ok: true; value: Value; comment: string } | { ok: false; problem: string };

/** What these words say to that field. */
export function takeValue(question: Question, field: Field, text: string): Taken {
  if (text.trim() === '') return { ok: false, problem: 'There was no answer in it.' };
  if (choicesIn(field).length > 0) return takeChoice(question, field, text);
  return takeWritten(field, text);
}

const GREETING =
  /^(hi|hello|hey|dear|good (morning|afternoon|evening)|hallo|guten tag|bonjour|hola|ciao)\b[^?:]{0,40}$/i;

function takeChoice(question: Question, field: Field, text: string): Taken {
  const { first, rest } = paragraphs(text, !question.confirms);
  const chosen = choose(question, field, first);
  if (!chosen.ok) return { ok: false, problem: unknownChoice(field, chosen.written) };
  if (question.confirms && chosen.choices.includes(YES) && !isPlainYes(text)) return MORE_THAN_YES;
  const several = takesSeveral(field);
  const beside = several ? [] : first.slice(1);
  const problem = several ? undefined : doubtful(question, field, beside, chosen.choices[0]);
  if (problem) return { ok: false, problem };
  const value = (several ? chosen.choices : chosen.choices[0]) as Value;
  return checked(field, value, [...beside, '', ...rest].join('\n'));
}

const PLAIN_YES = [YES.toLowerCase(), 'yes'];
const MORE_THAN_YES: Taken = {
  ok: false,
  problem: `There was more in it than “${YES}”, which could change what it means. A yes has to be all that you write; to say more, answer by the link.`,
};

/** It lets something happen, so nothing may stand beside it. */
function isPlainYes(text: string): boolean {
  return PLAIN_YES.includes(text.trim().toLowerCase().replace(/[.!]$/, ''));
}

/** More right below a choice is a comment, unless it takes the choice back. */
function doubtful(question: Question, field: Field, beside: string[], chosen: unknown): string | undefined {
  const others = beside.map((line) => choiceNamed(question, field, line)).filter((one) => one !== undefined);
  if (others.some((other) => other !== chosen))
    return 'More than one option was in it, and only one may be chosen.';
  return undefined;
}

function unknownChoice(field: Field, written: string): string {
  const labels = choicesIn(field).map(({ label }) => label);
  const near = nearest(written.slice(0, 200), labels);
  const hint = near ? ` Did you mean “${inOneLine(near)}”?` : '';
  return `“${shortened(inOneLine(written), 200)}” is not one of the options.${hint}`;
}

function paragraphs(text: string, skipsGreeting: boolean): { first: string[]; rest: string[] } {
  const lines = text.trim().split('\n');
  const end = lines.findIndex((line) => line.trim() === '');
  if (end < 0) return { first: lines, rest: [] };
  const [first, rest] = [lines.slice(0, end), lines.slice(end + 1)];
  const isGreeting = skipsGreeting && end === 1 && GREETING.test(lines[0]?.trim() ?? '');
  return isGreeting ? paragraphs(rest.join('\n'), false) : { first, rest };
}

/** All of it if that will do; else its first line, with the rest as a comment. */
function takeWritten(field: Field, text: string): Taken {
  const whole = checked(field, parsed(field, text.trim()), '');
  if (whole.ok) return whole;
  const [first = '', ...rest] = text.trim().split('\n');
  return checked(field, parsed(field, first.trim()), rest.join('\n'));
}

const WORDS: Record<string, boolean> = { yes: true, true: true, y: true, no: false, false: false, n: false };

/** As the schema wants it. What is not surely a number stays text, and is refused with what would be right. */
function parsed({ schema }: Field, text: string): Value {
  if (!schema) return text;
  if (schema.type === 'number' || schema.type === 'integer')
    return /^[-+]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  const word = text.toLowerCase().replace(/[.!]$/, '');
  if (schema.type === 'boolean') return Object.hasOwn(WORDS, word) ? (WORDS[word] ?? text) : text;
  if (schema.type === 'string' && schema.format)
    return text.replace(/^<(.*)>$/, '$1').replace(/^mailto:/i, '');
  return text;
}

function checked(field: Field, value: Value, comment: string): Taken {
  const fault = checkValue(field, value);
  if (!fault) return { ok: true, value, comment: comment.trim() };
  const written =
    typeof value === 'string' ? `“${shortened(inOneLine(value), 200)}” will not do: it ` : 'It ';
  return { ok: false, problem: `${written}${fault.message.replace(/, sent as JSON.*$/, '')}.` };
}
