import type { Question, QuestionField, QuestionOption } from '#contract/question';
import { NO_LABEL, YES_LABEL } from '#core/questions/create';
import { describeSchema } from '#core/schema/describe-schema';
import { STRING_FORMATS } from '#core/schema/formats';
import { chooseControl, isMultiSelectField } from '#presentation/field-control';
import type { EmailPart } from './content';

/** Says how to answer by a reply. A question with several fields is answered on the page. */
export function createReplyHint({ fields, confirms }: Question, introduction: string): EmailPart[] {
  const [field, ...otherFields] = fields;
  if (!field || otherFields.length > 0) return [];
  const format = confirms
    ? `“${YES_LABEL}” and nothing else, or “${NO_LABEL}”`
    : describeFieldReply(field, canChooseByNumber({ confirms }, field));
  const comment = `${confirms ? `After “${NO_LABEL}”, text` : 'Text'} below a blank line is sent as a comment.`;
  const text = `${introduction} ${format}. ${comment} To skip the question, write “skip: ” and a reason.`;
  return [{ kind: 'hint', text }];
}

function describeFieldReply(field: QuestionField, hasNumbers: boolean): string {
  if (listEmailChoices(field).length > 0) {
    const reference = hasNumbers ? 'number or text' : 'text';
    const other = field.options && field.allowOther ? ', or “Other: ” and your own answer' : '';
    const several = `the ${reference} of each option you choose, separated by commas`;
    return (isMultiSelectField(field) ? several : `the ${reference} of one option`) + other;
  }
  if (!field.schema) return 'your answer';
  if (field.schema.type === 'boolean') return 'yes or no';
  const { format = undefined } = field.schema.type === 'string' ? field.schema : {};
  return `${describeSchema(field.schema)}${format ? `, such as ${STRING_FORMATS[format].example}` : ''}`;
}

/** Returns the choices of a field; empty if it has none. */
export function listEmailChoices(field: QuestionField): QuestionOption[] {
  const control = chooseControl(field);
  return control.kind === 'one' || control.kind === 'many' ? control.options : [];
}

/** Returns whether a choice has a number. Not if a label could be a number, nor if a yes runs an action. */
export function canChooseByNumber({ confirms }: Pick<Question, 'confirms'>, field: QuestionField): boolean {
  return !confirms && !listEmailChoices(field).some(({ label }) => /^\W*\d+\W*$/.test(label));
}
