import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import type { Question, QuestionField } from '#contract/question';
import { parseJson } from '#core/json';
import { NO_LABEL } from '#core/questions/create';
import { describeSchema } from '#core/schema/describe-schema';
import type { StringSchema } from '#core/schema/validate-value';
import { contextWithoutArguments } from '#presentation/confirmation';
import { isMultiSelectField } from '#presentation/field-control';
import { parseSlackQuestionRef, type SlackQuestionRef } from './buttons';
import { createActionBlocks, formatSlackField, isPreselected, listSlackChoices, type SlackChoice } from './question';
import {
  createContextNote,
  createPlainText,
  createSection,
  formatSlackLink,
  markdownToMrkdwn,
  truncatePlainText,
} from './text';

export const ANSWER_FORM_ID = 'parley_form';

/** The message that the form was opened from; Slack returns it with the form. */
export interface FormOrigin extends SlackQuestionRef {
  channel: string;
  ts: string;
}

const MAX_CONTEXT_LENGTH = 2_900;
/** A longer question is shown above its input instead of as its label. */
const MAX_LABEL_LENGTH = 150;
const MAX_LIST_LENGTH = 2_900;

/** Creates a form: an input for each field, and one for a comment. */
export function createAnswerForm(question: Question, origin: FormOrigin, web: string): ModalView {
  const context = markdownToMrkdwn(
    contextWithoutArguments(question.context, question.confirms) ?? '',
    MAX_CONTEXT_LENGTH,
  );
  const { blocks: actionBlocks, isComplete } = createActionBlocks(question);
  const fields = question.fields.map((field) => createFieldInputs(question, field, isComplete));
  const isTruncated = context.isTruncated || !isComplete || fields.some((field) => field.isTruncated);
  const blocks: KnownBlock[] = [
    ...(context.text ? [createSection(context.text)] : []),
    ...actionBlocks,
    ...fields.flatMap((field) => field.blocks),
    commentInput,
    ...(isTruncated
      ? [createContextNote(`Shortened. ${formatSlackLink(web, 'Read and answer the full question in Parley')}`)]
      : []),
  ];
  return {
    type: 'modal',
    callback_id: ANSWER_FORM_ID,
    private_metadata: JSON.stringify(origin),
    title: createPlainText('Answer', 24),
    submit: createPlainText('Send', 24),
    close: createPlainText('Cancel', 24),
    blocks,
  };
}

export function parseFormOrigin(text: string): FormOrigin | undefined {
  const { channel, ts, ...rest } = Object(parseJson(text)) as Record<string, unknown>;
  const ref = parseSlackQuestionRef(rest);
  return ref && typeof channel === 'string' && typeof ts === 'string' ? { ...ref, channel, ts } : undefined;
}

function createFieldInputs(
  question: Question,
  field: QuestionField,
  isComplete: boolean,
): { blocks: KnownBlock[]; isTruncated: boolean } {
  const choices = listSlackChoices(field);
  // A person cannot agree to arguments they did not see in full, so only "no" is offered.
  const offeredChoices =
    question.confirms && !isComplete ? choices?.filter(({ label }) => label === NO_LABEL) : choices;
  const needsSection = field.question.length > MAX_LABEL_LENGTH || needsChoiceList(choices);
  const section = needsSection ? formatSlackField(field, MAX_LIST_LENGTH) : undefined;
  const input = createFieldInput(field, needsSection ? field.header : field.question, offeredChoices);
  const schemaHint = field.schema && !choices ? { hint: createPlainText(describeSchema(field.schema), 300) } : {};
  return {
    blocks: [
      ...(section ? [createSection(section.text)] : []),
      { ...input, ...schemaHint },
      ...(field.allowOther && choices ? [createOtherInput(field)] : []),
    ],
    isTruncated: section?.isTruncated ?? false,
  };
}

/** Creates a short notice that replaces the form. */
export function createNoticeView(title: string, text: string): ModalView {
  return {
    type: 'modal',
    title: createPlainText(title, 24),
    close: createPlainText('Close', 24),
    blocks: [createSection(text || truncatePlainText(title, 100))],
  };
}

export const INPUT_ACTION_ID = 'value';
/** Block ids of a field, its free-text alternative, and the comment. Slack shows errors at a block. */
export const getFieldBlockId = (key: string) => `field_${key}`;
export const getOtherBlockId = (key: string) => `other_${key}`;
export const COMMENT_BLOCK_ID = 'comment';

type InputElement = InputBlock['element'];

/** More than these are shown as a menu. */
const MAX_RADIO_OPTIONS = 10;
const MAX_OPTION_LENGTH = 75;
/** Slack's limit for a text input. */
export const MAX_TEXT_INPUT_LENGTH = 3_000;

/** Returns whether the input may be left empty. A choice may be, if "other" text can replace it. */
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

/** Returns whether labels or descriptions are too long for the control, so that a list beside it shows them in full. */
function needsChoiceList(choices: SlackChoice[] | undefined): boolean {
  return (
    choices?.some(
      ({ label, description = '' }) => label.length > MAX_OPTION_LENGTH || description.length > MAX_OPTION_LENGTH,
    ) ?? false
  );
}

function createChoiceElement(field: QuestionField, choices: SlackChoice[]): InputElement {
  const isNumbered = needsChoiceList(choices);
  const toOption = ({ index, label, description }: SlackChoice): PlainTextOption => {
    const text = createPlainText(isNumbered ? `${index + 1}. ${label}` : label, MAX_OPTION_LENGTH);
    const optionDescription = description?.trim()
      ? { description: createPlainText(description, MAX_OPTION_LENGTH) }
      : {};
    return { text, value: String(index), ...optionDescription };
  };
  const options = choices.map(toOption);
  const preselected = choices.filter((choice) => isPreselected(choice, field.default)).map(toOption);
  const isMenu = options.length > MAX_RADIO_OPTIONS;
  if (isMultiSelectField(field)) {
    const initial = preselected.length > 0 ? { initial_options: preselected } : {};
    const type = isMenu ? 'multi_static_select' : 'checkboxes';
    return { type, action_id: INPUT_ACTION_ID, options, ...initial };
  }
  const initial = preselected[0] ? { initial_option: preselected[0] } : {};
  return { type: isMenu ? 'static_select' : 'radio_buttons', action_id: INPUT_ACTION_ID, options, ...initial };
}

function createTypedElement({ schema, default: defaultValue }: QuestionField): InputElement {
  const text = defaultValue === undefined || defaultValue === '' ? undefined : String(defaultValue);
  if (schema?.type === 'number' || schema?.type === 'integer') {
    const isInteger = schema.type === 'integer';
    const initial = text && isNumeral(text, isInteger) ? { initial_value: text } : {};
    const minimum = numericBound('min_value', schema.minimum, isInteger);
    const maximum = numericBound('max_value', schema.maximum, isInteger);
    return {
      type: 'number_input',
      action_id: INPUT_ACTION_ID,
      is_decimal_allowed: !isInteger,
      ...initial,
      ...minimum,
      ...maximum,
    };
  }
  return createTextElement(schema?.type === 'string' ? schema : undefined, text);
}

const NUMERAL_PATTERN = /^-?\d{1,15}(\.\d{1,10})?$/;

function isNumeral(text: string, isInteger: boolean): boolean {
  return NUMERAL_PATTERN.test(text) && (!isInteger || !text.includes('.'));
}

/** Sets only bounds that Slack can express; the server validates the rest. */
function numericBound(name: 'min_value' | 'max_value', value: number | undefined, isInteger: boolean): object {
  return value !== undefined && isNumeral(String(value), isInteger) ? { [name]: String(value) } : {};
}

/** Creates Slack's own control for the format, if it has one; plain text if a pattern applies. */
function createTextElement(schema: StringSchema | undefined, text: string | undefined): InputElement {
  const initial = text && text.length <= MAX_TEXT_INPUT_LENGTH ? { initial_value: text } : {};
  switch (schema?.pattern === undefined ? schema?.format : undefined) {
    case 'email':
      return { type: 'email_text_input', action_id: INPUT_ACTION_ID, ...initial };
    case 'uri':
      return {
        type: 'url_text_input',
        action_id: INPUT_ACTION_ID,
        ...(/^https?:/.test(text ?? '') ? initial : {}),
      };
    case 'date':
      return { type: 'datepicker', action_id: INPUT_ACTION_ID, ...(text ? { initial_date: text } : {}) };
    case 'date-time':
      return { type: 'datetimepicker', action_id: INPUT_ACTION_ID, ...initialDateTime(text) };
    default:
      return { type: 'plain_text_input', action_id: INPUT_ACTION_ID, multiline: !schema?.format, ...initial };
  }
}

/** Slack accepts only timestamps of ten digits. */
function initialDateTime(text: string | undefined): { initial_date_time?: number } {
  const seconds = Math.floor(Date.parse(text ?? '') / 1_000);
  return seconds >= 1_000_000_000 && seconds <= 9_999_999_999 ? { initial_date_time: seconds } : {};
}

function createOtherInput(field: QuestionField): InputBlock {
  return {
    type: 'input',
    block_id: getOtherBlockId(field.key),
    label: createPlainText(isMultiSelectField(field) ? 'Something else as well' : 'Something else instead', 100),
    optional: true,
    element: { type: 'plain_text_input', action_id: INPUT_ACTION_ID, multiline: false },
  };
}

const commentInput: InputBlock = {
  type: 'input',
  block_id: COMMENT_BLOCK_ID,
  label: createPlainText('Comment', 100),
  hint: createPlainText('Anything else the agent should know?', 100),
  optional: true,
  element: { type: 'plain_text_input', action_id: INPUT_ACTION_ID, multiline: true },
};
