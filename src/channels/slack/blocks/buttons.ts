import type { ActionsBlock, Button, ConfirmationDialog } from '@slack/types';
import type { Question } from '#contract/question';
import { parseJson } from '#core/json';
import { YES_LABEL } from '#core/questions/create';
import { isMultiSelectField } from '#presentation/field-control';
import { createActionBlocks, listSlackChoices, type SlackChoice } from './question';
import { createPlainText } from './text';

export const CHOOSE_ACTION = 'parley_choose';
export const OPEN_FORM_ACTION = 'parley_open';
export const DECLINE_ACTION = 'parley_decline';

/** More buttons make a message unreadable; a form is better then. */
const MAX_BUTTONS = 5;
const MAX_BUTTON_LENGTH = 75;

/**
 * Identifies a question. `askedAt` is part of it since a conversation id may be reused once the conversation is
 * forgotten.
 */
export interface SlackQuestionRef {
  conversation: string;
  question: string;
  askedAt: string;
}

/** The value of a button: its question, and the index of its choice. */
export interface SlackButtonValue extends SlackQuestionRef {
  choice?: number;
}

export function parseButtonValue(text: string): SlackButtonValue | undefined {
  const value = parseJson(text);
  const [conversation, question, askedAt, choice] = Array.isArray(value) ? value : [];
  const ref = parseSlackQuestionRef({ conversation, question, askedAt });
  return ref && { ...ref, ...(typeof choice === 'number' ? { choice } : {}) };
}

export function parseSlackQuestionRef({
  conversation,
  question,
  askedAt,
}: Record<string, unknown>): SlackQuestionRef | undefined {
  const parts = [conversation, question, askedAt];
  return parts.every((part) => typeof part === 'string')
    ? ({ conversation, question, askedAt } as SlackQuestionRef)
    : undefined;
}

/** Returns the choices if a click can answer the question. */
export function listButtonChoices({ fields }: Question): SlackChoice[] | undefined {
  const [field, ...otherFields] = fields;
  if (!field || otherFields.length > 0 || isMultiSelectField(field)) return undefined;
  const choices = listSlackChoices(field);
  return choices && choices.length <= MAX_BUTTONS ? choices : undefined;
}

/** Returns whether the buttons show the choices in full. */
export function hasCompleteLabels(choices: SlackChoice[] | undefined): boolean {
  return choices?.every(({ label, description }) => !description && label.length <= MAX_BUTTON_LENGTH - 10) ?? false;
}

export function createAnswerButtons(question: Question): ActionsBlock {
  const choices = listButtonChoices(question);
  const formLabel = question.fields[0]?.allowOther ? 'Other…' : 'Add a comment…';
  const elements = choices
    ? [...createChoiceButtons(question, choices), createFormButton(question, formLabel)]
    : [createFormButton(question, 'Answer…')];
  return {
    type: 'actions',
    block_id: 'parley_answer',
    elements: [...elements, createDeclineButton(question)],
  };
}

function buttonValueFor({ conversationId, id, askedAt }: Question, choice?: number): string {
  return JSON.stringify([conversationId, id, askedAt, ...(choice === undefined ? [] : [choice])]);
}

function createChoiceButtons(question: Question, choices: SlackChoice[]): Button[] {
  const { isComplete } = createActionBlocks(question);
  const danger = question.confirms?.destructive ? { style: 'danger' as const } : {};
  return choices.flatMap(({ label, index }): Button[] => {
    const isYes = Boolean(question.confirms) && label === YES_LABEL;
    if (isYes && !isComplete) return [];
    return [
      {
        type: 'button',
        action_id: `${CHOOSE_ACTION}_${index}`,
        text: createPlainText(hasCompleteLabels(choices) ? label : `${index + 1}. ${label}`, MAX_BUTTON_LENGTH),
        value: buttonValueFor(question, index),
        ...(isYes && { ...danger, confirm: { ...CONFIRMATION_DIALOG, ...danger } }),
      },
    ];
  });
}

const CONFIRMATION_DIALOG: ConfirmationDialog = {
  title: createPlainText('Approve this action?', 100),
  text: createPlainText('It runs immediately, with exactly the arguments shown in the message.', 300),
  confirm: createPlainText('Yes, proceed', 30),
  deny: createPlainText('Not yet', 30),
};

function createFormButton(question: Question, text: string): Button {
  return {
    type: 'button',
    action_id: OPEN_FORM_ACTION,
    text: createPlainText(text, MAX_BUTTON_LENGTH),
    value: buttonValueFor(question),
  };
}

function createDeclineButton(question: Question): Button {
  return {
    type: 'button',
    action_id: DECLINE_ACTION,
    text: createPlainText('Skip', MAX_BUTTON_LENGTH),
    value: buttonValueFor(question),
    confirm: {
      title: createPlainText('Skip this question?', 100),
      text: createPlainText(
        "The agent will be told you skipped this and continue without an answer. You can't undo this.",
        300,
      ),
      confirm: createPlainText('Skip', 30),
      deny: createPlainText('Cancel', 30),
    },
  };
}
