import type { KnownBlock } from '@slack/types';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { describeSchema, schemaChoices } from '#core/schema/validate-value';
import { escapeInvisible, formatArguments } from '#presentation/confirmation';
import { formatAnswerValue } from '#presentation/labels';
import { createSection, escapeAndTruncate, type TruncatedText } from './text';

/** A section takes 3,000. */
const MAX_SECTION_LENGTH = 2_900;
/** All fields together, so that the whole message stays well within what Slack takes. */
const MAX_FIELDS_LENGTH = 7_000;

export interface FieldBlocks {
  blocks: KnownBlock[];
  isCut: boolean;
}

function toFieldBlocks(texts: TruncatedText[]): FieldBlocks {
  return { blocks: texts.map(({ text }) => createSection(text)), isCut: texts.some(({ isCut }) => isCut) };
}

function lengthPerField(fields: unknown[]): number {
  return Math.min(MAX_SECTION_LENGTH, Math.floor(MAX_FIELDS_LENGTH / Math.max(1, fields.length)));
}

/** What is asked, field by field, with what there is to choose from unless the buttons say it all. */
export function createFieldBlocks({ fields }: Question, buttonsSayAll: boolean): FieldBlocks {
  const share = lengthPerField(fields);
  return toFieldBlocks(fields.map((field) => formatSlackField(field, share, buttonsSayAll)));
}

export function formatSlackField(field: QuestionField, share: number, buttonsSayAll = false): TruncatedText {
  const header = escapeAndTruncate(field.header, 60).text;
  const question = escapeAndTruncate(field.question, Math.floor(share * 0.6));
  const top = `*${header}*\n${question.text}`;
  const rest = share - top.length;
  const more = buttonsSayAll ? { text: '', isCut: false } : formatChoiceList(field, rest);
  return { text: `${top}${more.text}`, isCut: question.isCut || more.isCut };
}

/** As many lines as there is room for; numbered, as shortened labels may look alike. */
function formatChoiceList(field: QuestionField, room: number): TruncatedText {
  const choices = listSlackChoices(field);
  if (!choices) return field.schema ? formatSchemaHint(describeSchema(field.schema), room) : { text: '', isCut: false };
  const several = choices.length > 1 ? Math.floor(room / choices.length) : room;
  let text = '';
  let isCut = false;
  for (const { index, label, description } of choices) {
    const said = escapeAndTruncate(description ? `${label}: ${description}` : label, Math.max(20, several - 8));
    const line = `\n${index + 1}. ${said.text}`;
    if (text.length + line.length > room) return { text, isCut: true };
    text += line;
    isCut ||= said.isCut;
  }
  return { text, isCut };
}

function formatSchemaHint(words: string, room: number): TruncatedText {
  if (room < 20) return { text: '', isCut: true };
  const { text, isCut } = escapeAndTruncate(words, room - 4);
  return { text: `\n(${text})`, isCut };
}

/** What was asked and answered. */
export function createAnswerBlocks({ fields, outcome }: Question): FieldBlocks {
  const share = lengthPerField(fields);
  const texts = fields.map((field) => {
    const question = escapeAndTruncate(field.question, Math.floor(share * 0.4));
    const value = outcome?.answers?.[field.key];
    if (value === undefined) return { text: question.text, isCut: question.isCut };
    const answer = escapeAndTruncate(formatAnswerValue(value), Math.floor(share * 0.5));
    return {
      text: `${question.text}\n*Answer:* ${answer.text}`,
      isCut: question.isCut || answer.isCut,
    };
  });
  return toFieldBlocks(texts);
}

/** What fits into one message beside everything else. */
const MAX_ARGUMENTS_LENGTH = 6_000;

export interface ActionBlocks {
  blocks: KnownBlock[];
  /** Where they cannot be shown word for word, nobody may say "yes" here: what runs is what was seen. */
  isWhole: boolean;
}

/** What a "yes" would let happen, exactly. Set as code, in which nothing is markup. */
export function createActionBlocks({ confirms }: Question): ActionBlocks {
  if (!confirms) return { blocks: [], isWhole: true };
  const { tool, arguments: given } = confirms;
  const title = tool === null ? 'With exactly these arguments:' : `Tool: *${escapeAndTruncate(tool, 300).text}*`;
  if (given === null || given === undefined)
    return { blocks: tool === null ? [] : [createSection(title)], isWhole: true };
  const [spacious, dense] = [formatArguments(given), escapeInvisible(JSON.stringify(given))];
  const text = [spacious, dense].find((one) => one.length <= MAX_ARGUMENTS_LENGTH);
  const cut = () => spacious.slice(0, MAX_ARGUMENTS_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
  return {
    blocks: [createSection(title), createPreformattedBlock(text ?? `${cut()}…`)],
    isWhole: text !== undefined,
  };
}

function createPreformattedBlock(text: string): KnownBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  };
}

/** One thing to choose: Slack hands back its place in the list, whatever its label holds. */
export interface SlackChoice {
  /** Its place in the question, also where not all are offered. */
  index: number;
  label: string;
  description?: string;
  value: string | boolean;
}

/** What there is to choose from, if anything. */
export function listSlackChoices({ options, schema }: QuestionField): SlackChoice[] | undefined {
  if (options) return options.map(({ label, description }, index) => ({ index, label, description, value: label }));
  if (schema?.type === 'boolean')
    return [
      { index: 0, label: 'Yes', value: true },
      { index: 1, label: 'No', value: false },
    ];
  return schemaChoices(schema)?.map((label, index) => ({ index, label, value: label }));
}

export function isMultiSelectField({ multiSelect, schema }: QuestionField): boolean {
  return multiSelect || schema?.type === 'array';
}

/** Is it chosen beforehand? */
export function isPreselected({ value }: SlackChoice, given: AnswerValue | undefined): boolean {
  return Array.isArray(given) ? given.includes(value as string) : given === value;
}
