import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import type { Question, QuestionField } from '#contract/question';
import { NO_LABEL } from '#core/questions/create';
import { describeSchema, type StringSchema } from '#core/schema/validate-value';
import { contextWithoutArguments } from '#presentation/confirmation';
import { parseSlackQuestionRef, type SlackQuestionRef } from './buttons';
import {
  createActionBlocks,
  formatSlackField,
  isMultiSelectField,
  isPreselected,
  listSlackChoices,
  type SlackChoice,
} from './question';
import {
  createContextNote,
  createPlainText,
  createSection,
  formatSlackLink,
  markdownToMrkdwn,
  truncatePlainText,
} from './text';

export const ANSWER_FORM_ID = 'parley_form';

/** Where the form was opened from, which it brings back. */
export interface FormOrigin extends SlackQuestionRef {
  channel: string;
  ts: string;
}

const MAX_CONTEXT_LENGTH = 2_900;
/** A longer question stands above its input, and not as its label. */
const MAX_LABEL_LENGTH = 150;
const MAX_LIST_LENGTH = 2_900;

/** The question as a form: an input for each field, and one for a comment. */
export function createAnswerForm(question: Question, origin: FormOrigin, web: string): ModalView {
  const context = markdownToMrkdwn(
    contextWithoutArguments(question.context, question.confirms) ?? '',
    MAX_CONTEXT_LENGTH,
  );
  const { blocks: given, isWhole } = createActionBlocks(question);
  const fields = question.fields.map((field) => createFieldInputs(question, field, isWhole));
  const isCut = context.isCut || !isWhole || fields.some((one) => one.isCut);
  const blocks: KnownBlock[] = [
    ...(context.text ? [createSection(context.text)] : []),
    ...given,
    ...fields.flatMap((one) => one.blocks),
    commentInput,
    ...(isCut
      ? [createContextNote(`Shortened here: ${formatSlackLink(web, 'read and answer the whole in Parley')}`)]
      : []),
  ];
  return {
    type: 'modal',
    callback_id: ANSWER_FORM_ID,
    private_metadata: JSON.stringify(origin),
    title: createPlainText('Answer', 24),
    submit: createPlainText('Send', 24),
    close: createPlainText('Not now', 24),
    blocks,
  };
}

export function parseFormOrigin(text: string): FormOrigin | undefined {
  try {
    const { channel, ts, ...rest } = JSON.parse(text) as Record<string, unknown>;
    const asking = parseSlackQuestionRef(rest);
    if (!asking || typeof channel !== 'string' || typeof ts !== 'string') return undefined;
    return { ...asking, channel, ts };
  } catch {
    return undefined;
  }
}

function createFieldInputs(
  question: Question,
  field: QuestionField,
  isWhole: boolean,
): { blocks: KnownBlock[]; isCut: boolean } {
  const choices = listSlackChoices(field);
  // What was not seen word for word cannot be agreed to; "no" can be said to anything.
  const offered = question.confirms && !isWhole ? choices?.filter(({ label }) => label === NO_LABEL) : choices;
  const isLong = field.question.length > MAX_LABEL_LENGTH || needsChoiceList(choices);
  const above = isLong ? formatSlackField(field, MAX_LIST_LENGTH) : undefined;
  const input = createFieldInput(field, isLong ? field.header : field.question, offered);
  const words = field.schema && !choices ? { hint: createPlainText(describeSchema(field.schema), 300) } : {};
  return {
    blocks: [
      ...(above ? [createSection(above.text)] : []),
      { ...input, ...words },
      ...(field.allowOther && choices ? [createOtherInput(field)] : []),
    ],
    isCut: above?.isCut ?? false,
  };
}

/** A form gives way to a few words. */
export function createNoticeView(title: string, text: string): ModalView {
  return {
    type: 'modal',
    title: createPlainText(title, 24),
    close: createPlainText('Close', 24),
    blocks: [createSection(text || truncatePlainText(title, 100))],
  };
}

export const INPUT_ACTION_ID = 'value';
/** The block of a field, of what else to say to it, and of the comment: faults are shown at them. */
export const getFieldBlockId = (key: string) => `field_${key}`;
export const getOtherBlockId = (key: string) => `other_${key}`;
export const COMMENT_BLOCK_ID = 'comment';

type InputElement = InputBlock['element'];

/** More than these are shown as a menu. */
const MAX_RADIO_OPTIONS = 10;
const MAX_OPTION_LENGTH = 75;
/** What a box for text takes. */
export const MAX_TEXT_INPUT_LENGTH = 3_000;

/** May it be left empty in the form? A text of one's own stands in for a choice. */
function isOptionalInput({ required, allowOther, options, schema }: QuestionField): boolean {
  if (!required || (allowOther && options !== undefined)) return true;
  if (schema?.type === 'array') return schema.minItems === 0;
  return schema?.type === 'string' && schema.minLength === 0;
}

function createFieldInput(field: QuestionField, label: string, choices = listSlackChoices(field)): InputBlock {
  return {
    type: 'input',
    block_id: getFieldBlockId(field.key),
    label: createPlainText(label, 300),
    optional: isOptionalInput(field),
    element: choices ? createChoiceElement(field, choices) : createTypedElement(field),
  };
}

/** Whether labels are so long, or so much is said of them, that a list beside them has to tell. */
function needsChoiceList(choices: SlackChoice[] | undefined): boolean {
  return (
    choices?.some(
      ({ label, description = '' }) => label.length > MAX_OPTION_LENGTH || description.length > MAX_OPTION_LENGTH,
    ) ?? false
  );
}

function createChoiceElement(field: QuestionField, choices: SlackChoice[]): InputElement {
  const isListed = needsChoiceList(choices);
  const optionOf = ({ index, label, description }: SlackChoice): PlainTextOption => {
    const text = createPlainText(isListed ? `${index + 1}. ${label}` : label, MAX_OPTION_LENGTH);
    const said = description?.trim() ? { description: createPlainText(description, MAX_OPTION_LENGTH) } : {};
    return { text, value: String(index), ...said };
  };
  const options = choices.map(optionOf);
  const chosen = choices.filter((choice) => isPreselected(choice, field.default)).map(optionOf);
  const isLong = options.length > MAX_RADIO_OPTIONS;
  if (isMultiSelectField(field)) {
    const first = chosen.length > 0 ? { initial_options: chosen } : {};
    const type = isLong ? 'multi_static_select' : 'checkboxes';
    return { type, action_id: INPUT_ACTION_ID, options, ...first };
  }
  const first = chosen[0] ? { initial_option: chosen[0] } : {};
  return { type: isLong ? 'static_select' : 'radio_buttons', action_id: INPUT_ACTION_ID, options, ...first };
}

function createTypedElement({ schema, default: given }: QuestionField): InputElement {
  const text = given === undefined || given === '' ? undefined : String(given);
  if (schema?.type === 'number' || schema?.type === 'integer') {
    const isWhole = schema.type === 'integer';
    const first = text && isNumeral(text, isWhole) ? { initial_value: text } : {};
    const least = numericBound('min_value', schema.minimum, isWhole);
    const most = numericBound('max_value', schema.maximum, isWhole);
    return {
      type: 'number_input',
      action_id: INPUT_ACTION_ID,
      is_decimal_allowed: !isWhole,
      ...first,
      ...least,
      ...most,
    };
  }
  return createTextElement(schema?.type === 'string' ? schema : undefined, text);
}

const NUMERAL_PATTERN = /^-?\d{1,15}(\.\d{1,10})?$/;

function isNumeral(text: string, isWhole: boolean): boolean {
  return NUMERAL_PATTERN.test(text) && (!isWhole || !text.includes('.'));
}

/** Only what Slack can write; the rest is checked when it comes. */
function numericBound(name: 'min_value' | 'max_value', value: number | undefined, isWhole: boolean): object {
  return value !== undefined && isNumeral(String(value), isWhole) ? { [name]: String(value) } : {};
}

/** A control of its own for what Slack has one for; where a pattern decides, plain text. */
function createTextElement(schema: StringSchema | undefined, text: string | undefined): InputElement {
  const first = text && text.length <= MAX_TEXT_INPUT_LENGTH ? { initial_value: text } : {};
  switch (schema?.pattern === undefined ? schema?.format : undefined) {
    case 'email':
      return { type: 'email_text_input', action_id: INPUT_ACTION_ID, ...first };
    case 'uri':
      return {
        type: 'url_text_input',
        action_id: INPUT_ACTION_ID,
        ...(/^https?:/.test(text ?? '') ? first : {}),
      };
    case 'date':
      return { type: 'datepicker', action_id: INPUT_ACTION_ID, ...(text ? { initial_date: text } : {}) };
    case 'date-time':
      return { type: 'datetimepicker', action_id: INPUT_ACTION_ID, ...initialDateTime(text) };
    default:
      return { type: 'plain_text_input', action_id: INPUT_ACTION_ID, multiline: !schema?.format, ...first };
  }
}

/** Slack takes seconds, of ten digits. */
function initialDateTime(text: string | undefined): { initial_date_time?: number } {
  const seconds = Math.floor(Date.parse(text ?? '') / 1_000);
  return seconds >= 1_000_000_000 && seconds <= 9_999_999_999 ? { initial_date_time: seconds } : {};
}

function createOtherInput(field: QuestionField): InputBlock {
  return {
    type: 'input',
    block_id: getOtherBlockId(field.key),
    label: createPlainText(isMultiSelectField(field) ? 'Something else, too' : 'Something else instead', 100),
    optional: true,
    element: { type: 'plain_text_input', action_id: INPUT_ACTION_ID, multiline: false },
  };
}

const commentInput: InputBlock = {
  type: 'input',
  block_id: COMMENT_BLOCK_ID,
  label: createPlainText('Comment', 100),
  hint: createPlainText('Anything to add, for the agent to read.', 100),
  optional: true,
  element: { type: 'plain_text_input', action_id: INPUT_ACTION_ID, multiline: true },
};
