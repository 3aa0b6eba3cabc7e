import type { KnownBlock, ModalView } from '@slack/types';
import type { Field, Question } from '#contract/question';
import { NO } from '#core/asking';
import { contextBeside } from '#core/shown-action';
import { wordsFor } from '#core/value-schema';
import { type Asking, readAsking } from './buttons';
import { choicesFor } from './choices';
import { shownAction } from './confirming';
import { askedField } from './fields';
import { commentInput, inputFor, needList, otherInput } from './inputs';
import { mrkdwn } from './markdown';
import { link, note, plain, section, shortened } from './words';

export const FORM = 'parley_form';

/** Where the form was opened from, which it brings back. */
export interface Origin extends Asking {
  channel: string;
  ts: string;
}

const CONTEXT_LENGTH = 2_900;
/** A longer question stands above its input, and not as its label. */
const LABEL_LENGTH = 150;
const LIST_LENGTH = 2_900;

/** The question as a form: an input for each field, and one for a comment. */
export function formFor(question: Question, origin: Origin, web: string): ModalView {
  const context = mrkdwn(contextBeside(question.context, question.confirms) ?? '', CONTEXT_LENGTH);
  const { blocks: given, isWhole } = shownAction(question);
  const fields = question.fields.map((field) => fieldBlocks(question, field, isWhole));
  const isCut = context.isCut || !isWhole || fields.some((one) => one.isCut);
  const blocks: KnownBlock[] = [
    ...(context.text ? [section(context.text)] : []),
    ...given,
    ...fields.flatMap((one) => one.blocks),
    commentInput,
    ...(isCut ? [note(`Shortened here: ${link(web, 'read and answer the whole in Parley')}`)] : []),
  ];
  return {
    type: 'modal',
    callback_id: FORM,
    private_metadata: JSON.stringify(origin),
    title: plain('Answer', 24),
    submit: plain('Send', 24),
    close: plain('Not now', 24),
    blocks,
  };
}

export function readOrigin(text: string): Origin | undefined {
  try {
    const { channel, ts, ...rest } = JSON.parse(text) as Record<string, unknown>;
    const asking = readAsking(rest);
    if (!asking || typeof channel !== 'string' || typeof ts !== 'string') return undefined;
    return { ...asking, channel, ts };
  } catch {
    return undefined;
  }
}

function fieldBlocks(
  question: Question,
  field: Field,
  isWhole: boolean,
): { blocks: KnownBlock[]; isCut: boolean } {
  const choices = choicesFor(field);
  // What was not seen word for word cannot be agreed to; "no" can be said to anything.
  const offered = question.confirms && !isWhole ? choices?.filter(({ label }) => label === NO) : choices;
  const isLong = field.question.length > LABEL_LENGTH || needList(choices);
  const above = isLong ? askedField(field, LIST_LENGTH) : undefined;
  const input = inputFor(field, isLong ? field.header : field.question, offered);
  const words = field.schema && !choices ? { hint: plain(wordsFor(field.schema), 300) } : {};
  return {
    blocks: [
      ...(above ? [section(above.text)] : []),
      { ...input, ...words },
      ...(field.allowOther && choices ? [otherInput(field)] : []),
    ],
    isCut: above?.isCut ?? false,
  };
}

/** A form gives way to a few words. */
export function noteView(title: string, text: string): ModalView {
  return {
    type: 'modal',
    title: plain(title, 24),
    close: plain('Close', 24),
    blocks: [section(text || shortened(title, 100))],
  };
}
