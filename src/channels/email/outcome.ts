import type { Field, Question, Value } from '#contract/question';
import { moment, outcomeText, valueText } from '#core/words';
import { inOneLine, shortened, visible } from './visible';

const LONGEST = 2_000;

/** Who settled it, where and when. */
export function outcomeSentence(question: Question): string {
  const when = question.outcome ? ` (${moment(question.outcome.at)})` : '';
  return `${inOneLine(outcomeText(question))}${when}.`;
}

/** What was answered, by what was asked, and what was said along with it. */
export function outcomeFacts({ fields, outcome, status }: Question): [name: string, value: string][] {
  const { answers = {}, comment } = outcome ?? {};
  const given = fields.map((field): [string, string] => [visible(field.question), answerTo(field, answers)]);
  const said: [string, string][] = comment
    ? [[status === 'declined' ? 'Reason' : 'Comment', shown(comment)]]
    : [];
  return [...given, ...said];
}

function answerTo({ key }: Field, answers: Record<string, Value>): string {
  const value = Object.hasOwn(answers, key) ? answers[key] : undefined;
  return value === undefined ? '(no answer)' : shown(valueText(value));
}

function shown(text: string): string {
  return shortened(visible(text), LONGEST);
}
