import type { Field, Question } from '#contract/question';
import { contextBeside, shownArguments } from '#core/shown-action';
import { lineageText, outcomeText, valueText } from '#core/words';
import { markdownLines } from './markdown';
import { safe, safeLine } from './safe';
import type { Style } from './style';
import { cut, wrap } from './wrap';

/** A question as it is read, not as it is put: why, what, and which answers there are. */
export function askedLines(question: Question, width: number, style: Style): string[] {
  const { origin, context, confirms, fields } = question;
  const why = contextBeside(context, confirms);
  return [
    ...(origin.length > 1 ? wrap(style.dim(`${safeLine(lineageText(origin))} asks`), width) : []),
    ...(why ? [...markdownLines(why, width, style), ''] : []),
    ...fields.flatMap((field) => fieldLines(field, width, style)),
    ...(confirms && confirms.arguments !== null
      ? cut(safe(shownArguments(confirms.arguments)), width - 4).map((line) => `    ${line}`)
      : []),
  ];
}

function fieldLines({ question, options = [], allowOther }: Field, width: number, style: Style): string[] {
  const choices = [
    ...options.map(({ label }) => safeLine(label)),
    ...(allowOther && options.length > 0 ? ['Other'] : []),
  ];
  return [
    ...wrap(style.bold(safe(question).trim()), width, { first: `${style.warn('?')} ` }),
    ...(choices.length > 0 ? wrap(style.dim(choices.join(' · ')), width, { first: '  ' }) : []),
  ];
}

/** How it was settled and by whom, with what was answered. */
export function outcomeLines(question: Question, width: number, style: Style): string[] {
  const { status, outcome, fields } = question;
  const paint = status === 'answered' ? style.good : style.warn;
  const answers = fields.flatMap(({ key, header }) => {
    const value = outcome?.answers && Object.hasOwn(outcome.answers, key) ? outcome.answers[key] : undefined;
    const name = fields.length > 1 ? `${safeLine(header) || safeLine(key)}: ` : '';
    return value === undefined ? [] : [`${name}${safeLine(valueText(value))}`];
  });
  const said = paint(safeLine(outcomeText(question)));
  const first = answers.length === 1 ? `${said}: ${answers[0]}` : said;
  const rest = [
    ...(answers.length === 1 ? [] : answers),
    ...(outcome?.comment ? [`“${safeLine(outcome.comment)}”`] : []),
  ];
  return [first, ...rest].flatMap((line) => wrap(line, width, { first: '  ' }));
}
