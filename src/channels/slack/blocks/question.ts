import type { KnownBlock } from '@slack/types';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { describeSchema } from '#core/schema/describe-schema';
import { escapeInvisible, formatArguments } from '#presentation/confirmation';
import { BOOLEAN_LABELS, chooseControl } from '#presentation/field-control';
import { formatAnswerValue } from '#presentation/labels';
import { createSection, escapeAndTruncate, type TruncatedText } from './text';

/** Slack's limit for a section is 3,000. */
const MAX_SECTION_LENGTH = 2_900;
/** The limit for all fields together, so that the whole message stays well below Slack's limit. */
const MAX_FIELDS_LENGTH = 7_000;

export interface FieldBlocks {
  blocks: KnownBlock[];
  isTruncated: boolean;
}

function toFieldBlocks(texts: TruncatedText[]): FieldBlocks {
  return {
    blocks: texts.map(({ text }) => createSection(text)),
    isTruncated: texts.some(({ isTruncated }) => isTruncated),
  };
}

function maxLengthPerField(fields: unknown[]): number {
  return Math.min(MAX_SECTION_LENGTH, Math.floor(MAX_FIELDS_LENGTH / Math.max(1, fields.length)));
}

/** Creates blocks for the fields of a question, with their choices unless the buttons show all of them. */
export function createFieldBlocks({ fields }: Question, buttonsShowAll: boolean): FieldBlocks {
  const maxLength = maxLengthPerField(fields);
  return toFieldBlocks(fields.map((field) => formatSlackField(field, maxLength, buttonsShowAll)));
}

export function formatSlackField(field: QuestionField, maxLength: number, buttonsShowAll = false): TruncatedText {
  const header = escapeAndTruncate(field.header, 60).text;
  const question = escapeAndTruncate(field.question, Math.floor(maxLength * 0.6));
  const heading = `*${header}*\n${question.text}`;
  const remaining = maxLength - heading.length;
  const choices = buttonsShowAll ? { text: '', isTruncated: false } : formatChoiceList(field, remaining);
  return { text: `${heading}${choices.text}`, isTruncated: question.isTruncated || choices.isTruncated };
}

/** Lists as many choices as fit; numbered, since shortened labels may look alike. */
function formatChoiceList(field: QuestionField, maxLength: number): TruncatedText {
  const choices = listSlackChoices(field);
  if (!choices)
    return field.schema ? formatSchemaHint(describeSchema(field.schema), maxLength) : { text: '', isTruncated: false };
  const maxChoiceLength = choices.length > 1 ? Math.floor(maxLength / choices.length) : maxLength;
  let text = '';
  let isTruncated = false;
  for (const { index, label, description } of choices) {
    const choice = escapeAndTruncate(
      description ? `${label}: ${description}` : label,
      Math.max(20, maxChoiceLength - 8),
    );
    const line = `\n${index + 1}. ${choice.text}`;
    if (text.length + line.length > maxLength) return { text, isTruncated: true };
    text += line;
    isTruncated ||= choice.isTruncated;
  }
  return { text, isTruncated };
}

function formatSchemaHint(hint: string, maxLength: number): TruncatedText {
  if (maxLength < 20) return { text: '', isTruncated: true };
  const { text, isTruncated } = escapeAndTruncate(hint, maxLength - 4);
  return { text: `\n(${text})`, isTruncated };
}

/** Creates blocks for what was asked and answered. */
export function createAnswerBlocks({ fields, outcome }: Question): FieldBlocks {
  const maxLength = maxLengthPerField(fields);
  const texts = fields.map((field) => {
    const question = escapeAndTruncate(field.question, Math.floor(maxLength * 0.4));
    const value = outcome?.answers?.[field.key];
    if (value === undefined) return { text: question.text, isTruncated: question.isTruncated };
    const answer = escapeAndTruncate(formatAnswerValue(value), Math.floor(maxLength * 0.5));
    return {
      text: `${question.text}\n*Answer:* ${answer.text}`,
      isTruncated: question.isTruncated || answer.isTruncated,
    };
  });
  return toFieldBlocks(texts);
}

/** The space left in one message beside everything else. */
const MAX_ARGUMENTS_LENGTH = 6_000;

export interface ActionBlocks {
  blocks: KnownBlock[];
  /** False if the arguments do not fit. Then "yes" is not offered, since only what was seen may run. */
  isComplete: boolean;
}

/** Creates blocks that show exactly what a "yes" would run. As preformatted text, in which nothing is markup. */
export function createActionBlocks({ confirms }: Question): ActionBlocks {
  if (!confirms) return { blocks: [], isComplete: true };
  const { tool, arguments: args } = confirms;
  const title = tool === null ? 'With exactly these arguments:' : `Tool: *${escapeAndTruncate(tool, 300).text}*`;
  if (args === null || args === undefined)
    return { blocks: tool === null ? [] : [createSection(title)], isComplete: true };
  const [indented, compact] = [formatArguments(args), escapeInvisible(JSON.stringify(args))];
  const text = [indented, compact].find((candidate) => candidate.length <= MAX_ARGUMENTS_LENGTH);
  const truncated = () => indented.slice(0, MAX_ARGUMENTS_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
  return {
    blocks: [createSection(title), createPreformattedBlock(text ?? `${truncated()}…`)],
    isComplete: text !== undefined,
  };
}

function createPreformattedBlock(text: string): KnownBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  };
}

/** A choice. Slack returns its index, so any label is safe. */
export interface SlackChoice {
  /** Its index in the question, even if not all choices are offered. */
  index: number;
  label: string;
  description?: string;
  value: string | boolean;
}

/** Returns the choices of a field, if it has any. */
export function listSlackChoices(field: QuestionField): SlackChoice[] | undefined {
  const control = chooseControl(field);
  if (!('options' in control)) return undefined;
  const { kind, options } = control;
  return options.map(({ label, description }, index) => {
    const value = kind === 'flag' ? label === BOOLEAN_LABELS.yes : label;
    return { index, label, description, value };
  });
}

/** Returns whether the default value includes the choice. */
export function isPreselected({ value }: SlackChoice, defaultValue: AnswerValue | undefined): boolean {
  return Array.isArray(defaultValue) ? defaultValue.includes(value as string) : defaultValue === value;
}
