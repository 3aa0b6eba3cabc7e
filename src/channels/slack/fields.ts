import type { KnownBlock } from '@slack/types';
import type { Field, Question } from '#contract/question';
import { wordsFor } from '#core/value-schema';
import { valueText } from '#core/words';
import { choicesFor } from './choices';
import { type Fitted, fitted, section } from './words';

/** A section takes 3,000. */
const SECTION_LENGTH = 2_900;
/** All fields together, so that the whole message stays well within what Slack takes. */
const FIELDS_LENGTH = 7_000;

export interface Shown {
  blocks: KnownBlock[];
  isCut: boolean;
}

function together(texts: Fitted[]): Shown {
  return { blocks: texts.map(({ text }) => section(text)), isCut: texts.some(({ isCut }) => isCut) };
}

function shareOf(fields: unknown[]): number {
  return Math.min(SECTION_LENGTH, Math.floor(FIELDS_LENGTH / Math.max(1, fields.length)));
}

/** What is asked, field by field, with what there is to choose from unless the buttons say it all. */
export function askedFields({ fields }: Question, buttonsSayAll: boolean): Shown {
  const share = shareOf(fields);
  return together(fields.map((field) => askedField(field, share, buttonsSayAll)));
}

export function askedField(field: Field, share: number, buttonsSayAll = false): Fitted {
  const header = fitted(field.header, 60).text;
  const question = fitted(field.question, Math.floor(share * 0.6));
  const top = `*${header}*\n${question.text}`;
  const rest = share - top.length;
  const more = buttonsSayAll ? { text: '', isCut: false } : choiceList(field, rest);
  return { text: `${top}${more.text}`, isCut: question.isCut || more.isCut };
}

/** As many lines as there is room for; numbered, as shortened labels may look alike. */
function choiceList(field: Field, room: number): Fitted {
  const choices = choicesFor(field);
  if (!choices) return field.schema ? hint(wordsFor(field.schema), room) : { text: '', isCut: false };
  const several = choices.length > 1 ? Math.floor(room / choices.length) : room;
  let text = '';
  let isCut = false;
  for (const { index, label, description } of choices) {
    const said = fitted(description ? `${label}: ${description}` : label, Math.max(20, several - 8));
    const line = `\n${index + 1}. ${said.text}`;
    if (text.length + line.length > room) return { text, isCut: true };
    text += line;
    isCut ||= said.isCut;
  }
  return { text, isCut };
}

function hint(words: string, room: number): Fitted {
  if (room < 20) return { text: '', isCut: true };
  const { text, isCut } = fitted(words, room - 4);
  return { text: `\n(${text})`, isCut };
}

/** What was asked and answered. */
export function answeredFields({ fields, outcome }: Question): Shown {
  const share = shareOf(fields);
  const texts = fields.map((field) => {
    const question = fitted(field.question, Math.floor(share * 0.4));
    const value = outcome?.answers?.[field.key];
    if (value === undefined) return { text: question.text, isCut: question.isCut };
    const answer = fitted(valueText(value), Math.floor(share * 0.5));
    return {
      text: `${question.text}\n*Answer:* ${answer.text}`,
      isCut: question.isCut || answer.isCut,
    };
  });
  return together(texts);
}
