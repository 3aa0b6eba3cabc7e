import type { Confirms, Field, Option, Question } from '#contract/question';
import { controlOf } from '#core/control';
import { isDangerous } from '#core/danger';
import { FLAG } from '#core/filling';
import { contextBeside, shownArguments } from '#core/shown-action';
import { moment, until } from '#core/times';
import { urgencyOf } from '#core/urgency';
import { wordsFor } from '#core/value-schema';
import { afterwards, lineageText, outcomeText, valueText } from '#core/words';
import { markdownLines } from './markdown';
import { safe, safeLine } from './safe';
import type { Style } from './style';
import { cut, wrap } from './wrap';

export interface Paper {
  width: number;
  style: Style;
  now: number;
}

/** Who asks, why, and for a confirmation what a "yes" lets happen. */
export function introduction(question: Question, { width, style }: Paper): string[] {
  const { confirms, origin } = question;
  const asks = confirms ? 'asks you to confirm' : 'asks';
  const context = contextBeside(question.context, confirms);
  const action = confirms ? actionLines(confirms, isDangerous(question), width, style) : [];
  return [
    ...wrap(`${style.bold(style.accent(safeLine(lineageText(origin))))} ${asks}`, width),
    ...(context ? ['', ...markdownLines(context, width, style)] : []),
    ...(action.length > 0 ? ['', ...action] : []),
  ];
}

const CAREFUL = 'Careful: on a “yes” this happens at once.';

/** The tool and exactly its arguments, nothing hidden in them. */
function actionLines({ tool, arguments: given }: Confirms, isGrave: boolean, width: number, style: Style) {
  const paint = isGrave ? style.bad : style.bold;
  const bar = paint('│ ');
  const what =
    tool === null ? 'With exactly these arguments:' : `Runs ${safeLine(tool)} with exactly these arguments:`;
  const shown = cut(safe(shownArguments(given)), width - 2).map((line) => bar + line);
  return [
    ...(isGrave ? wrap(CAREFUL, width).map(paint) : []),
    ...(tool === null && given === null ? [] : [...wrap(what, width).map(paint), ...shown]),
  ];
}

/** What is asked, what there is to choose from, and what it has to be. */
export function fieldLines(field: Field, { width, style }: Paper): string[] {
  const about = [
    requirement(field),
    field.default !== undefined && `Default: ${safeLine(valueText(field.default))}.`,
    !field.required && 'May be left empty.',
  ].filter(Boolean);
  return [
    ...wrap(style.accent(safeLine(field.header)), width),
    ...wrap(safe(field.question), width).map(style.bold),
    ...choices(field).flatMap((option, index) => optionLines(option, index + 1, width, style)),
    ...(about.length > 0 ? wrap(about.join(' '), width).map(style.dim) : []),
  ];
}

/** In the order of their numbers. */
export function choices(field: Field): Option[] {
  const control = controlOf(field);
  const offered =
    control.kind === 'flag'
      ? [{ label: FLAG.yes }, { label: FLAG.no }]
      : 'options' in control
        ? control.options
        : [];
  return field.allowOther && offered.length > 0 ? [...offered, { label: 'Other…' }] : offered;
}

function optionLines({ label, description }: Option, number: number, width: number, style: Style): string[] {
  const first = `${String(number).padStart(3)}. `;
  return [
    ...wrap(safeLine(label), width, { first }),
    ...(description
      ? wrap(safeLine(description), width, { first: ' '.repeat(first.length) }).map(style.dim)
      : []),
  ];
}

function requirement({ schema, multiSelect }: Field): string | undefined {
  if (multiSelect) return 'Choose any.';
  if (!schema || schema.type === 'boolean') return undefined;
  const words = safeLine(wordsFor(schema));
  if (words === 'text' || words === 'choose one') return undefined;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** By when, and what happens then. */
export function deadlineLines(question: Question, { width, style, now }: Paper): string[] {
  const due = dueText(question, now);
  const paint = urgencyOf(question, now) === 'calm' ? style.dim : style.warn;
  return due === undefined ? [] : wrap(due, width).map(paint);
}

/** Nothing where it waits for ever. */
export function dueText(question: Question, now: number): string | undefined {
  const { expiresAt } = question;
  if (expiresAt === null) return undefined;
  const urgency = urgencyOf(question, now);
  if (urgency === 'late') return 'The deadline has passed.';
  const when = urgency === 'soon' ? '' : ` (${moment(expiresAt)})`;
  return `Due ${until(expiresAt, now)}${when}. ${afterwards(question)}`.trim();
}

/** How it ended: who, by what way, and with which answers. */
export function outcomeLines(question: Question, { width, style }: Paper): string[] {
  const { outcome, status } = question;
  const said = answersText(question, outcome?.answers ?? {});
  const note =
    outcome?.comment && `${status === 'declined' ? 'Reason' : 'Comment'}: ${safeLine(outcome.comment)}`;
  return [
    ...wrap(`${safeLine(outcomeText(question))}${said ? `: ${said}` : '.'}`, width),
    ...(note ? wrap(note, width).map(style.dim) : []),
  ];
}

/** `Database PostgreSQL · Region eu-west-1`. */
export function answersText(
  { fields }: Pick<Question, 'fields'>,
  answers: NonNullable<Question['outcome']>['answers'] = {},
): string {
  return fields
    .filter(({ key }) => answers[key] !== undefined)
    .map(({ key, header }) => `${safeLine(header)} ${safeLine(valueText(answers[key]))}`)
    .join(' · ');
}
