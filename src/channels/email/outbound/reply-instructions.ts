import type { Question, QuestionField, QuestionOption } from '#contract/question';
import { NO_LABEL, YES_LABEL } from '#core/questions/create';
import { describeSchema } from '#core/schema/describe-schema';
import { STRING_FORMATS } from '#core/schema/formats';
import { chooseControl, isMultiSelectField } from '#presentation/field-control';

/** Returns whether a short reply can answer the question. Others are better answered on the page. */
export function canAnswerByReply({ fields }: Question): boolean {
  return fields.length === 1;
}

export function describeReplyFormat(question: Question): string {
  const [field, ...otherFields] = question.fields;
  if (!field) return '';
  if (otherFields.length > 0)
    return `one line per question, for example:\n${question.fields.map(exampleReplyLine).join('\n')}`;
  if (question.confirms) return `“${YES_LABEL}” and nothing else, or “${NO_LABEL}”`;
  return describeFieldReply(question, field);
}

function describeFieldReply(question: Question, field: QuestionField): string {
  if (listEmailChoices(field).length > 0) {
    const reference = canChooseByNumber(question, field) ? 'number or text' : 'text';
    const other = field.options && field.allowOther ? ', or “Other: ” and your own answer' : '';
    const several = `the ${reference} of each option you choose, separated by commas`;
    return (isMultiSelectField(field) ? several : `the ${reference} of one option`) + other;
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

export function describeReplyExtras({ confirms }: Question): string {
  const comment = `${confirms ? `After “${NO_LABEL}”, text` : 'Text'} below a blank line is sent as a comment.`;
  return `${comment} To skip the question, write “skip: ” and a reason.`;
}

/** Returns the choices of a field; empty if it has none. */
export function listEmailChoices(field: QuestionField): QuestionOption[] {
  const control = chooseControl(field);
  return control.kind === 'one' || control.kind === 'many' ? control.options : [];
}

/** Returns whether a choice has a number. Not if a label could be a number, nor if a yes runs an action. */
export function canChooseByNumber({ confirms }: Question, field: QuestionField): boolean {
  return !confirms && !listEmailChoices(field).some(({ label }) => /^\W*\d+\W*$/.test(label));
}
