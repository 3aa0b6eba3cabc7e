import type { ActionsBlock, Button, ConfirmationDialog } from '@slack/types';
import type { Question } from '#contract/question';
import { YES } from '#core/asking';
import { type Choice, choicesFor, takesSeveral } from './choices';
import { shownAction } from './confirming';
import { plain } from './words';

export const CHOOSE = 'parley_choose';
export const OPEN = 'parley_open';
export const DECLINE = 'parley_decline';

/** More make a message unreadable, and a form is the better place for them. */
const MOST_BUTTONS = 5;
const BUTTON_LENGTH = 75;

/** Which question is meant, and of when: once a conversation is forgotten its id may be given to another. */
export interface Asking {
  conversation: string;
  question: string;
  askedAt: string;
}

/** What a button is about, and which of the choices it is. */
export interface Aim extends Asking {
  choice?: number;
}

export function writeAim({ conversation, question, askedAt, choice }: Aim): string {
  return JSON.stringify([conversation, question, askedAt, ...(choice === undefined ? [] : [choice])]);
}

export function readAim(text: string): Aim | undefined {
  try {
    const [conversation, question, askedAt, choice] = JSON.parse(text) as unknown[];
    const asking = readAsking({ conversation, question, askedAt });
    return asking && { ...asking, ...(typeof choice === 'number' ? { choice } : {}) };
  } catch {
    return undefined;
  }
}

export function readAsking({ conversation, question, askedAt }: Record<string, unknown>): Asking | undefined {
  const all = [conversation, question, askedAt];
  return all.every((one) => typeof one === 'string')
    ? ({ conversation, question, askedAt } as Asking)
    : undefined;
}

/** The choices of a question that a click can answer. */
export function clickable({ fields }: Question): Choice[] | undefined {
  const [field, ...more] = fields;
  if (!field || more.length > 0 || takesSeveral(field)) return undefined;
  const choices = choicesFor(field);
  return choices && choices.length <= MOST_BUTTONS ? choices : undefined;
}

/** Whether the labels on the buttons are all there is to know of the choices. */
export function sayAll(choices: Choice[] | undefined): boolean {
  return (
    choices?.every(({ label, description }) => !description && label.length <= BUTTON_LENGTH - 10) ?? false
  );
}

export function buttonsFor(question: Question): ActionsBlock {
  const choices = clickable(question);
  const elements = choices
    ? [...choiceButtons(question, choices), openButton(question, moreWords(question))]
    : [openButton(question, 'Answer…')];
  return { type: 'actions', block_id: 'parley_answer', elements: [...elements, declineButton(question)] };
}

function aimOf({ conversationId, id, askedAt }: Question, choice?: number): string {
  return writeAim({ conversation: conversationId, question: id, askedAt, choice });
}

function choiceButtons(question: Question, choices: Choice[]): Button[] {
  const { isWhole } = shownAction(question);
  return choices.flatMap(({ label, index }): Button[] => {
    const isYes = Boolean(question.confirms) && label === YES;
    if (isYes && !isWhole) return [];
    return [
      {
        type: 'button',
        action_id: `${CHOOSE}_${index}`,
        text: plain(sayAll(choices) ? label : `${index + 1}. ${label}`, BUTTON_LENGTH),
        value: aimOf(question, index),
        ...(isYes ? { style: 'danger' as const, confirm: SURE } : {}),
      },
    ];
  });
}

const SURE: ConfirmationDialog = {
  title: plain('Let it happen?', 100),
  text: plain('It runs at once, with exactly the arguments shown in the message.', 300),
  confirm: plain('Yes, proceed', 30),
  deny: plain('Not yet', 30),
  style: 'danger',
};

function moreWords({ fields }: Question): string {
  return fields[0]?.allowOther ? 'Other…' : 'Add a comment…';
}

function openButton(question: Question, text: string): Button {
  return { type: 'button', action_id: OPEN, text: plain(text, BUTTON_LENGTH), value: aimOf(question) };
}

function declineButton(question: Question): Button {
  return {
    type: 'button',
    action_id: DECLINE,
    text: plain('Decline', BUTTON_LENGTH),
    value: aimOf(question),
    confirm: {
      title: plain('Decline to answer?', 100),
      text: plain('The agent hears that nobody will answer this, and goes on without.', 300),
      confirm: plain('Decline', 30),
      deny: plain('Back', 30),
    },
  };
}
