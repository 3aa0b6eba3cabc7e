import { formatPromptDeadline } from '#cli/prompt/question-text';
import type { TextStyle } from '#cli/render/colors';
import { sanitizeLine } from '#cli/render/sanitize';
import { clipText, displayWidth, truncateLines, wrapText } from '#cli/render/text';
import { describeSchema } from '#core/schema/describe-schema';
import { describeRequirement } from '#presentation/field-control';
import { toSentence } from '#presentation/labels';
import { classifyUrgency } from '#presentation/question-list';
import { type FieldStep, isDateTimeField, localTimeZone, readStep } from './field-step';
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
export function renderFooter(form: PromptForm, { width, style, isRoomy, now }: FooterArea): string[] {
  const { overlay, question } = form;
  const step = overlay ? undefined : currentStep(form);
  const error = form.error ?? step?.error;
  const hint = step && !error ? findStepHint(step) : undefined;
  const comment = sanitizeLine(form.comment.text);
  const deadline = overlay ? undefined : formatPromptDeadline(question, now);
  const dueColor = classifyUrgency(question, now) === 'calm' ? style.dim : style.warn;
  const wrap = (text: string, maxLines: number, first = '') =>
    truncateLines(wrapText(text, width, { first }), isRoomy ? maxLines : 1, width);
  const lines = [
    ...(error ? wrap(sanitizeLine(error), NOTE_LINES, '✗ ').map(style.bad) : []),
    ...(hint ? wrap(sanitizeLine(hint), NOTE_LINES).map(style.dim) : []),
    // The review shows the comment in its own row.
    ...(step && comment ? [style.dim(clipText(`Comment: ${comment}`, width))] : []),
    ...(deadline ? wrap(deadline, DUE_LINES).map(dueColor) : []),
  ];
  return isRoomy ? lines : lines.slice(0, 1);
}

/** Returns the hint for an incomplete field: its requirement, or the progress. */
function findStepHint(step: FieldStep): string | undefined {
  const { field } = step;
  if (step.kind === 'choice') {
    if (!step.isMany) return undefined;
    const count = step.picked.length + (step.isOther ? 1 : 0);
    const limits = field.schema ? toSentence(describeSchema(field.schema)) : '';
    return `${count || 'None'} selected. ${limits}`.trim();
  }
  const isDateTime = isDateTimeField(field);
  const requirement = isDateTime
    ? `Date and time, such as 2026-11-16 09:30, in your time zone (${localTimeZone()}).`
    : describeRequirement(field);
  if (step.editor.text.trim() === '') return field.required ? requirement : `${requirement ?? ''} Optional.`.trim();
  if (isDateTime) return requirement;
  const result = readStep(step);
  return result.ok ? undefined : result.error;
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
      const { isMany, isYesNo, filter } = step;
      const multipleChoiceKeys: FormKey[] = [
        ['Space Tab', 'Select or deselect', 'Space choose', 1],
        ['Ctrl-A', 'Select all or none', filter === undefined && 'Ctrl-A all', 6],
      ];
      if (isYesNo) return [['↑ ↓ y n', 'Move', '↑↓ move', 4], enterKey(form)];
      return [
        ['↑ ↓ j k', 'Move; also Home, End, PgUp, PgDn', '↑↓ move', 4],
        ['1 … 9', 'Go to that option'],
        ...(isMany ? multipleChoiceKeys : []),
        ['a-z /', 'Filter', filter === undefined && !isMany && 'type to filter', 5],
        enterKey(form),
      ];
    }
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
