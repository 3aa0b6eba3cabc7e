import type { Field, Question } from '#contract/question';
import { NO, YES } from '#core/asking';
import { FORMATS } from '#core/formats';
import { wordsFor } from '#core/value-schema';
import { choicesIn, isNumbered, takesSeveral } from './choices';

/** Can a few words in a mail answer it? Others are answered on the page, though a line for each field is understood, too. */
export function isForReplies({ fields }: Question): boolean {
  return fields.length === 1;
}

/** What to write, in words for whoever replies. */
export function howToReply(question: Question): string {
  const [field, ...more] = question.fields;
  if (!field) return '';
  if (more.length > 0)
    return `a line for each question, as in:\n${question.fields.map(exampleLine).join('\n')}`;
  if (question.confirms) return `“${YES}” and nothing else, or “${NO}”`;
  return wordsOf(question, field);
}

function wordsOf(question: Question, field: Field): string {
  if (choicesIn(field).length > 0) {
    const by = isNumbered(question, field) ? 'its number or its words' : 'its words';
    const other = field.options && field.allowOther ? ', or with “Other: ” and an answer of your own' : '';
    const several = `the options you choose, each by ${by}, with commas between`;
    return (takesSeveral(field) ? several : `one of the options, by ${by}`) + other;
  }
  if (!field.schema) return 'your answer';
  if (field.schema.type === 'boolean') return 'yes or no';
  const { format = undefined } = field.schema.type === 'string' ? field.schema : {};
  return `${wordsFor(field.schema)}${format ? `, such as ${FORMATS[format].example}` : ''}`;
}

function exampleLine(field: Field): string {
  const [first] = choicesIn(field);
  return `${field.key}: ${first ? first.label : `(${field.header})`}`;
}

/** What else may be in it. */
export function moreToSay({ confirms }: Question): string {
  const comment = `What follows a blank line${confirms ? ' after a no' : ''} goes along as a comment.`;
  return `${comment} To give no answer at all, write “decline: ” and why.`;
}
