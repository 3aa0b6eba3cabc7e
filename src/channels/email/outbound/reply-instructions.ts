import type { Question, QuestionField, QuestionOption } from '#contract/question';
import { NO_LABEL, YES_LABEL } from '#core/questions/create';
import { describeSchema } from '#core/schema/describe-schema';
import { STRING_FORMATS } from '#core/schema/formats';
import { chooseControl, isMultiSelectField } from '#presentation/field-control';

/**
 * Can a few words in a mail answer it? Others are answered on the page, though a line for each field is understood,
 * too.
 */
export function canAnswerByReply({ fields }: Question): boolean {
  return fields.length === 1;
}

/** What to write, in words for whoever replies. */
export function describeReplyFormat(question: Question): string {
  const [field, ...otherFields] = question.fields;
  if (!field) return '';
  if (otherFields.length > 0)
    return `a line for each question, as in:\n${question.fields.map(exampleReplyLine).join('\n')}`;
  if (question.confirms) return `“${YES_LABEL}” and nothing else, or “${NO_LABEL}”`;
  return describeFieldReply(question, field);
}

function describeFieldReply(question: Question, field: QuestionField): string {
  if (listEmailChoices(field).length > 0) {
    const reference = canChooseByNumber(question, field) ? 'its number or its words' : 'its words';
    const other = field.options && field.allowOther ? ', or with “Other: ” and an answer of your own' : '';
    const several = `the options you choose, each by ${reference}, with commas between`;
    return (isMultiSelectField(field) ? several : `one of the options, by ${reference}`) + other;
  }
  if (!field.schema) return 'your answer';
  if (field.schema.type === 'boolean') return 'yes or no';
  const { format = undefined } = field.schema.type === 'string' ? field.schema : {};
  return `${describeSchema(field.schema)}${format ? `, such as ${STRING_FORMATS[format].example}` : ''}`;
}

function exampleReplyLine(field: QuestionField): string {
  const [first] = listEmailChoices(field);
  return `${field.key}: ${first ? first.label : `(${field.header})`}`;
}

/** What else may be in it. */
export function describeReplyExtras({ confirms }: Question): string {
  const comment = `What follows a blank line${confirms ? ' after a no' : ''} goes along as a comment.`;
  return `${comment} To give no answer at all, write “decline: ” and why.`;
}

/** What there is to choose from; nothing where the answer is written. */
export function listEmailChoices(field: QuestionField): QuestionOption[] {
  const control = chooseControl(field);
  return control.kind === 'one' || control.kind === 'many' ? control.options : [];
}

/** May a choice be named by its number? Not where that could be a label, nor where a yes lets something happen. */
export function canChooseByNumber({ confirms }: Question, field: QuestionField): boolean {
  return !confirms && !listEmailChoices(field).some(({ label }) => /^\W*\d+\W*$/.test(label));
}
