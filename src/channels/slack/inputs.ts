import type { InputBlock, PlainTextOption } from '@slack/types';
import type { Field } from '#contract/question';
import type { Text } from '#core/value-schema';
import { type Choice, choicesFor, isChosen, takesSeveral } from './choices';
import { plain } from './words';

export const VALUE = 'value';
/** The block of a field, of what else to say to it, and of the comment: faults are shown at them. */
export const blockOf = (key: string) => `field_${key}`;
export const otherBlockOf = (key: string) => `other_${key}`;
export const COMMENT_BLOCK = 'comment';

type Element = InputBlock['element'];

/** More than these are shown as a menu. */
const MOST_SHOWN = 10;
const OPTION_LENGTH = 75;
/** What a box for text takes. */
export const TEXT_LENGTH = 3_000;

/** May it be left empty in the form? A text of one's own stands in for a choice. */
function mayBeEmpty({ required, allowOther, options, schema }: Field): boolean {
  if (!required || (allowOther && options !== undefined)) return true;
  if (schema?.type === 'array') return schema.minItems === 0;
  return schema?.type === 'string' && schema.minLength === 0;
}

export function inputFor(field: Field, label: string, choices = choicesFor(field)): InputBlock {
  return {
    type: 'input',
    block_id: blockOf(field.key),
    label: plain(label, 300),
    optional: mayBeEmpty(field),
    element: choices ? choosing(field, choices) : typing(field),
  };
}

/** Whether labels are so long, or so much is said of them, that a list beside them has to tell. */
export function needList(choices: Choice[] | undefined): boolean {
  return (
    choices?.some(
      ({ label, description = '' }) => label.length > OPTION_LENGTH || description.length > OPTION_LENGTH,
    ) ?? false
  );
}

function choosing(field: Field, choices: Choice[]): Element {
  const isListed = needList(choices);
  const optionOf = ({ index, label, description }: Choice): PlainTextOption => {
    const text = plain(isListed ? `${index + 1}. ${label}` : label, OPTION_LENGTH);
    const said = description?.trim() ? { description: plain(description, OPTION_LENGTH) } : {};
    return { text, value: String(index), ...said };
  };
  const options = choices.map(optionOf);
  const chosen = choices.filter((choice) => isChosen(choice, field.default)).map(optionOf);
  const isLong = options.length > MOST_SHOWN;
  if (takesSeveral(field)) {
    const first = chosen.length > 0 ? { initial_options: chosen } : {};
    const type = isLong ? 'multi_static_select' : 'checkboxes';
    return { type, action_id: VALUE, options, ...first };
  }
  const first = chosen[0] ? { initial_option: chosen[0] } : {};
  return { type: isLong ? 'static_select' : 'radio_buttons', action_id: VALUE, options, ...first };
}

function typing({ schema, default: given }: Field): Element {
  const text = given === undefined || given === '' ? undefined : String(given);
  if (schema?.type === 'number' || schema?.type === 'integer') {
    const isWhole = schema.type === 'integer';
    const first = text && isNumeral(text, isWhole) ? { initial_value: text } : {};
    const least = bound('min_value', schema.minimum, isWhole);
    const most = bound('max_value', schema.maximum, isWhole);
    return {
      type: 'number_input',
      action_id: VALUE,
      is_decimal_allowed: !isWhole,
      ...first,
      ...least,
      ...most,
    };
  }
  return textual(schema?.type === 'string' ? schema : undefined, text);
}

const NUMERAL = /^-?\d{1,15}(\.\d{1,10})?$/;

function isNumeral(text: string, isWhole: boolean): boolean {
  return NUMERAL.test(text) && (!isWhole || !text.includes('.'));
}

/** Only what Slack can write; the rest is checked when it comes. */
function bound(name: 'min_value' | 'max_value', value: number | undefined, isWhole: boolean): object {
  return value !== undefined && isNumeral(String(value), isWhole) ? { [name]: String(value) } : {};
}

/** A control of its own for what Slack has one for; where a pattern decides, plain text. */
function textual(schema: Text | undefined, text: string | undefined): Element {
  const first = text && text.length <= TEXT_LENGTH ? { initial_value: text } : {};
  switch (schema?.pattern === undefined ? schema?.format : undefined) {
    case 'email':
      return { type: 'email_text_input', action_id: VALUE, ...first };
    case 'uri':
      return { type: 'url_text_input', action_id: VALUE, ...(/^https?:/.test(text ?? '') ? first : {}) };
    case 'date':
      return { type: 'datepicker', action_id: VALUE, ...(text ? { initial_date: text } : {}) };
    case 'date-time':
      return { type: 'datetimepicker', action_id: VALUE, ...initialMoment(text) };
    default:
      return { type: 'plain_text_input', action_id: VALUE, multiline: !schema?.format, ...first };
  }
}

/** Slack takes seconds, of ten digits. */
function initialMoment(text: string | undefined): { initial_date_time?: number } {
  const seconds = Math.floor(Date.parse(text ?? '') / 1_000);
  return seconds >= 1_000_000_000 && seconds <= 9_999_999_999 ? { initial_date_time: seconds } : {};
}

export function otherInput(field: Field): InputBlock {
  return {
    type: 'input',
    block_id: otherBlockOf(field.key),
    label: plain(takesSeveral(field) ? 'Something else, too' : 'Something else instead', 100),
    optional: true,
    element: { type: 'plain_text_input', action_id: VALUE, multiline: false },
  };
}

export const commentInput: InputBlock = {
  type: 'input',
  block_id: COMMENT_BLOCK,
  label: plain('Comment', 100),
  hint: plain('Anything to add, for the agent to read.', 100),
  optional: true,
  element: { type: 'plain_text_input', action_id: VALUE, multiline: true },
};
