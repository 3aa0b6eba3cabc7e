import type { Field, Question, Value } from '../../contract/question';
import { inUtc } from './times';
import { inOneLine, shortened, visible } from './visible';

const VIA: Record<string, string> = {
  web: 'in the web app',
  terminal: 'in the terminal',
  http: 'over the API',
  slack: 'in Slack',
  email: 'by mail',
  link: 'by their link',
  temporal: 'in Temporal',
};

const LONGEST = 2_000;

/** Who settled it, where and when. */
export function outcomeSentence({ status, outcome }: Question): string {
  const by = outcome?.by ? ` by ${inOneLine(outcome.by)}` : '';
  const where = outcome?.via && VIA[outcome.via] ? `, ${VIA[outcome.via]}` : '';
  const when = outcome ? `, on ${inUtc(outcome.at)}` : '';
  switch (status) {
    case 'answered':
      return `Answered${by}${where}${when}.`;
    case 'declined':
      return `Declined${by}${where}${when}.`;
    case 'timed_out':
      return outcome?.defaulted
        ? `Nobody answered in time, so the default was taken${when}.`
        : `Nobody answered in time: it was closed${when}.`;
    default:
      return `Called off${by}${when}.`;
  }
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
  return value === undefined ? '(no answer)' : shown(inWords(value));
}

/** A value as a person would write it. */
export function inWords(value: Value): string {
  if (Array.isArray(value)) return value.map(inWords).join(', ') || '(none)';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? `Other: ${value.other}` : String(value);
}

function shown(text: string): string {
  return shortened(visible(text), LONGEST);
}
