import { formatPromptDeadline } from '#cli/prompt/question-text';
import type { TextStyle } from '#cli/render/colors';
import { sanitizeLine } from '#cli/render/sanitize';
import { clipText, displayWidth, wrapText } from '#cli/render/text';
import { describeSchema } from '#core/schema/describe-schema';
import { chooseControl, describeRequirement } from '#presentation/field-control';
import { toSentence } from '#presentation/labels';
import { classifyUrgency } from '#presentation/question-list';
import {
  type ChoiceStep,
  type FieldStep,
  isDateTimeControl,
  localTimeZone,
  readStep,
  type TextStep,
} from './field-step';
import { currentStep, hasReview, type PromptForm } from './form-state';

interface FooterArea {
  width: number;
  style: TextStyle;
  /** If false, there is room only for the most important line. */
  isRoomy: boolean;
  now: number;
}

const NOTE_LINES = 3;
const DUE_LINES = 2;

/** Renders the error or hint, the comment, and the deadline. */
export function renderFooter(form: PromptForm, area: FooterArea): string[] {
  const { isRoomy } = area;
  const noteLines = renderNote(form, area);
  if (form.overlay) return noteLines;
  const lines = [...noteLines, ...renderCommentLine(form, area), ...renderDueLines(form, area)];
  return isRoomy ? lines : lines.slice(0, 1);
}

function renderNote(form: PromptForm, { width, style, isRoomy }: FooterArea): string[] {
  const step = form.overlay ? undefined : currentStep(form);
  const maxLines = isRoomy ? NOTE_LINES : 1;
  const error = form.error ?? step?.error;
  if (error)
    return truncateLines(wrapText(sanitizeLine(error), width, { first: '✗ ' }), maxLines, width).map(style.bad);
  const hint = step && findStepHint(step);
  return hint ? truncateLines(wrapText(sanitizeLine(hint), width), maxLines, width).map(style.dim) : [];
}

function renderCommentLine({ comment, steps, stepIndex }: PromptForm, { width, style }: FooterArea): string[] {
  const text = sanitizeLine(comment.text);
  // The review shows the comment in its own row.
  return text && stepIndex < steps.length ? [style.dim(clipText(`Comment: ${text}`, width))] : [];
}

function renderDueLines({ question }: PromptForm, { width, style, isRoomy, now }: FooterArea): string[] {
  const deadline = formatPromptDeadline(question, now);
  if (deadline === undefined) return [];
  const color = classifyUrgency(question, now) === 'calm' ? style.dim : style.warn;
  return truncateLines(wrapText(deadline, width), isRoomy ? DUE_LINES : 1, width).map(color);
}

/** Truncates to the first lines and appends an ellipsis. */
export function truncateLines(lines: readonly string[], maxLines: number, width: number): string[] {
  if (lines.length <= maxLines) return [...lines];
  const last = lines[maxLines - 1] ?? '';
  const lastLine = displayWidth(last) < width ? `${last}…` : clipText(`${last} `, width);
  return [...lines.slice(0, maxLines - 1), lastLine];
}

/** Returns the hint for an incomplete field: its requirement, or the progress. */
function findStepHint(step: FieldStep): string | undefined {
  switch (step.kind) {
    case 'choice':
      return step.isMany ? formatChoiceHint(step) : undefined;
    case 'buttons':
      return undefined;
    case 'text':
      return findTextHint(step);
  }
}

function formatChoiceHint({ field, picked, isOther }: ChoiceStep): string {
  const count = picked.length + (isOther ? 1 : 0);
  const limits = field.schema ? toSentence(describeSchema(field.schema)) : '';
  return [`${count || 'None'} selected.`, limits].filter(Boolean).join(' ');
}

function findTextHint(step: TextStep): string | undefined {
  const { field, editor } = step;
  const requirement = describeTextRequirement(step);
  if (editor.text.trim() === '') return field.required ? requirement : `${requirement ?? ''} Optional.`.trim();
  const result = readStep(step);
  if (isDateTimeControl(chooseControl(field))) return requirement;
  return result.ok ? undefined : result.error;
}

/** Describes what the schema requires, if anything. */
function describeTextRequirement({ field }: TextStep): string | undefined {
  if (isDateTimeControl(chooseControl(field)))
    return `Date and time, such as 2026-11-16 09:30, in your time zone (${localTimeZone()}).`;
  return describeRequirement(field);
}

/** A key and its effect. When space is short, hints with the highest rank are dropped first. */
interface KeyHint {
  key: string;
  description: string;
  rank: number;
}

/** Renders as many key hints as fit on a line. */
export function renderKeyHints(form: PromptForm, width: number): string {
  const hints = listKeyHints(form);
  for (let shownHints = hints; shownHints.length > 0; shownHints = dropLeastNeeded(shownHints)) {
    const line = shownHints.map(({ key, description }) => `${key} ${description}`).join(' · ');
    if (displayWidth(line) <= width) return line;
  }
  return '';
}

function dropLeastNeeded(hints: KeyHint[]): KeyHint[] {
  const rank = Math.max(...hints.map((hint) => hint.rank));
  return hints.filter((hint) => hint.rank < rank);
}

function listKeyHints(form: PromptForm): KeyHint[] {
  const { overlay } = form;
  if (overlay?.kind === 'help') return [keyHint('Enter', 'close', 0), keyHint('↑↓', 'scroll', 1)];
  if (overlay?.kind === 'comment') return [keyHint('Enter', 'keep', 0), ...NEW_LINE_HINT, keyHint('Esc', 'back', 1)];
  if (overlay?.kind === 'decline') return [keyHint('Enter', 'decline', 0), ...NEW_LINE_HINT, keyHint('Esc', 'back', 1)];
  const step = currentStep(form);
  if (step?.kind === 'choice' && step.isEditingOther)
    return [keyHint('Enter', step.isMany ? 'keep' : enterLabel(form), 0), keyHint('Esc', 'back', 1)];
  return [
    ...listStepKeyHints(form),
    ...(step ? [keyHint('Enter', enterLabel(form), 0)] : []),
    ...listCommonKeyHints(form),
  ];
}

const NEW_LINE_HINT = [keyHint('Alt-Enter', 'new line', 2)];

function keyHint(key: string, description: string, rank: number): KeyHint {
  return { key, description, rank };
}

function enterLabel(form: PromptForm): string {
  return hasReview(form) ? 'next' : 'send';
}

function listStepKeyHints(form: PromptForm): KeyHint[] {
  const step = currentStep(form);
  switch (step?.kind) {
    case undefined:
      return [keyHint('↑↓', 'move', 4), keyHint('Enter', form.reviewRow > form.steps.length ? 'send' : 'change', 0)];
    case 'choice':
      return [
        keyHint('↑↓', 'move', 4),
        ...(step.isMany ? [keyHint('Space', 'choose', 1)] : []),
        ...(step.filter === undefined && !step.isMany ? [keyHint('type', 'to filter', 5)] : []),
        ...(step.filter === undefined && step.isMany ? [keyHint('Ctrl-A', 'all', 6)] : []),
      ];
    case 'buttons':
      return [keyHint('←→', 'move', 4)];
    case 'text':
      return step.editor.isLong ? [keyHint('Alt-Enter', 'new line', 4)] : [];
  }
}

function listCommonKeyHints(form: PromptForm): KeyHint[] {
  const step = currentStep(form);
  const isFiltering = step?.kind === 'choice' && step.filter !== undefined;
  return [
    ...(form.stepIndex > 0 ? [keyHint('Shift-Tab', 'back', 5)] : []),
    keyHint('Ctrl-T', 'comment', 7),
    keyHint('Ctrl-X', 'decline', 6),
    keyHint('Esc', isFiltering ? 'clear' : 'later', 2),
    keyHint(step?.kind === 'text' || isFiltering ? 'F1' : '?', 'keys', 3),
  ];
}

/** Lists all keys that work in the current step. */
export function listKeyBindings(form: PromptForm): [key: string, description: string][] {
  return [
    ...listStepKeyBindings(form),
    ['Ctrl-T', 'Add a comment'],
    ['Ctrl-X', 'Decline, with a reason if you like'],
    ['Esc', 'Leave it for later'],
    ['Ctrl-C', 'Leave'],
  ];
}

const BACK_BINDING: [string, string] = ['Shift-Tab', 'The step before'];

function listStepKeyBindings(form: PromptForm): [string, string][] {
  const step = currentStep(form);
  const backBinding = hasReview(form) ? [BACK_BINDING] : [];
  switch (step?.kind) {
    case undefined:
      return [['↑ ↓ j k', 'Move'], ['Enter', 'Send it, or change that line'], ...backBinding];
    case 'choice':
      return [
        ['↑ ↓ j k', 'Move; also Home, End, PgUp, PgDn'],
        ['1 … 9', 'Go to that one'],
        ...(step.isMany
          ? ([
              ['Space Tab', 'Choose it, or not'],
              ['Ctrl-A', 'All, or none'],
            ] as [string, string][])
          : []),
        ['Enter', hasReview(form) ? 'Take it and go on' : 'Send'],
        ['a-z /', 'Show only what has this in it'],
        ...backBinding,
      ];
    case 'buttons':
      return [['← → y n', 'Move'], ['Enter', hasReview(form) ? 'Take it and go on' : 'Send'], ...backBinding];
    case 'text':
      return [
        ['Enter', hasReview(form) ? 'Take it and go on' : 'Send'],
        ...(step.editor.isLong ? ([['Alt-Enter', 'A new line; also Ctrl-J']] as [string, string][]) : []),
        ['← → Alt-B/F', 'Move by characters, by words'],
        ['Ctrl-A/E', 'To the start, to the end'],
        ['Ctrl-U/K', 'Delete to the start, to the end'],
        ['Ctrl-W', 'Delete the word before'],
        ...backBinding,
      ];
  }
}
