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

/** Renders as many key hints as fit on a line. */
export function renderKeyHints(form: PromptForm, width: number): string {
  const hints = listKeyHints(form);
  for (let shownHints = hints; shownHints.length > 0; shownHints = dropLeastNeeded(shownHints)) {
    const line = shownHints.map(([text]) => text).join(' · ');
    if (displayWidth(line) <= width) return line;
  }
  return '';
}

/** When space is short, hints with the highest rank are dropped first. */
type KeyHint = [text: string, rank: number];

function dropLeastNeeded(hints: KeyHint[]): KeyHint[] {
  const maxRank = Math.max(...hints.map(([, rank]) => rank));
  return hints.filter(([, rank]) => rank < maxRank);
}

function listKeyHints(form: PromptForm): KeyHint[] {
  const { overlay } = form;
  const back: KeyHint = ['Esc back', 1];
  if (overlay?.kind === 'help')
    return [
      ['Enter close', 0],
      ['↑↓ scroll', 1],
    ];
  if (overlay) return [[`Enter ${overlay.kind === 'comment' ? 'save' : 'skip'}`, 0], ['Alt-Enter new line', 2], back];
  const step = currentStep(form);
  if (step?.kind === 'choice' && step.isEditingOther)
    return [[step.isMany ? 'Enter save' : enterKey(form)[2], 0], back];
  return listFormKeys(form).flatMap(([, , hint, rank = 0]): KeyHint[] => (hint ? [[hint, rank]] : []));
}

/** A key, its description in the help, and its hint below the form, if any, with a rank. */
type FormKey = [key: string, description: string, hint?: string | false, rank?: number];

/** Lists all keys that work in the current step. */
export function listFormKeys(form: PromptForm): FormKey[] {
  const step = currentStep(form);
  const isFiltering = step?.kind === 'choice' && step.filter !== undefined;
  const backKey: FormKey = ['Shift-Tab', 'Previous step', form.stepIndex > 0 && 'Shift-Tab back', 5];
  return [
    ...listStepKeys(form, step),
    ...(hasReview(form) ? [backKey] : []),
    ['Ctrl-T', 'Add a comment', 'Ctrl-T comment', 7],
    ['Ctrl-X', 'Skip the question', 'Ctrl-X skip', 6],
    ['Esc', 'Answer later', isFiltering ? 'Esc clear' : 'Esc later', 2],
    ['Ctrl-C', 'Quit'],
    ['? F1', 'Show shortcuts', step?.kind === 'text' || isFiltering ? 'F1 keys' : '? keys', 3],
  ];
}

function enterKey(form: PromptForm): [string, string, string] {
  return hasReview(form) ? ['Enter', 'Accept and continue', 'Enter next'] : ['Enter', 'Send', 'Enter send'];
}

function listStepKeys(form: PromptForm, step: FieldStep | undefined): FormKey[] {
  switch (step?.kind) {
    case undefined:
      return [
        ['↑ ↓ j k', 'Move', '↑↓ move', 4],
        ['Enter', 'Send, or edit the line', form.reviewRow > form.steps.length ? 'Enter send' : 'Enter change'],
      ];
    case 'choice': {
      const { isMany, filter } = step;
      const multipleChoiceKeys: FormKey[] = [
        ['Space Tab', 'Select or deselect', 'Space choose', 1],
        ['Ctrl-A', 'Select all or none', filter === undefined && 'Ctrl-A all', 6],
      ];
      return [
        ['↑ ↓ j k', 'Move; also Home, End, PgUp, PgDn', '↑↓ move', 4],
        ['1 … 9', 'Go to that option'],
        ...(isMany ? multipleChoiceKeys : []),
        ['a-z /', 'Filter', filter === undefined && !isMany && 'type to filter', 5],
        enterKey(form),
      ];
    }
    case 'buttons':
      return [['← → y n', 'Move', '←→ move', 4], enterKey(form)];
    case 'text':
      return [
        ...(step.editor.isLong ? [['Alt-Enter', 'New line (or Ctrl-J)', 'Alt-Enter new line', 4] as FormKey] : []),
        enterKey(form),
        ['← → Alt-B/F', 'Move by character or word'],
        ['Ctrl-A/E', 'Go to start or end of line'],
        ['Ctrl-U/K', 'Delete to start or end of line'],
        ['Ctrl-W', 'Delete previous word'],
      ];
  }
}
