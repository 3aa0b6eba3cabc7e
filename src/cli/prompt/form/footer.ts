import { formatPromptDeadline } from '#cli/prompt/question-text';
import type { TextStyle } from '#cli/render/colors';
import { sanitizeLine } from '#cli/render/sanitize';
import { clipText, displayWidth, wrapText } from '#cli/render/text';
import { describeSchema } from '#core/schema/validate-value';
import { chooseControl } from '#presentation/field-control';
import { classifyUrgency } from '#presentation/question-list';
import {
  type ChoiceStep,
  type FieldStep,
  isDateTimeControl,
  localTimeZone,
  readStep,
  type TextStep,
  toSentence,
} from './field-step';
import { currentStep, hasReview, type PromptForm } from './form-state';

interface FooterArea {
  width: number;
  style: TextStyle;
  /** Otherwise there is one line, for what matters most. */
  isRoomy: boolean;
  now: number;
}

const NOTE_LINES = 3;
const DUE_LINES = 2;

/** What is wrong or still missing, what else will be sent, and by when. */
export function renderFooter(form: PromptForm, foot: FooterArea): string[] {
  const { isRoomy } = foot;
  const note = renderNote(form, foot);
  if (form.over) return note;
  const lines = [...note, ...renderCommentLine(form, foot), ...renderDueLines(form, foot)];
  return isRoomy ? lines : lines.slice(0, 1);
}

function renderNote(form: PromptForm, { width, style, isRoomy }: FooterArea): string[] {
  const step = form.over ? undefined : currentStep(form);
  const room = isRoomy ? NOTE_LINES : 1;
  const fault = form.trouble ?? step?.fault;
  if (fault) return truncateLines(wrapText(sanitizeLine(fault), width, { first: '✗ ' }), room, width).map(style.bad);
  const hint = step && findStepHint(step);
  return hint ? truncateLines(wrapText(sanitizeLine(hint), width), room, width).map(style.dim) : [];
}

function renderCommentLine({ comment, steps, at }: PromptForm, { width, style }: FooterArea): string[] {
  const said = sanitizeLine(comment.text);
  // The review has a line for it.
  return said && at < steps.length ? [style.dim(clipText(`Comment: ${said}`, width))] : [];
}

function renderDueLines({ question }: PromptForm, { width, style, isRoomy, now }: FooterArea): string[] {
  const due = formatPromptDeadline(question, now);
  if (due === undefined) return [];
  const paint = classifyUrgency(question, now) === 'calm' ? style.dim : style.warn;
  return truncateLines(wrapText(due, width), isRoomy ? DUE_LINES : 1, width).map(paint);
}

/** The first lines, and that there are more. */
export function truncateLines(lines: readonly string[], room: number, width: number): string[] {
  if (lines.length <= room) return [...lines];
  const last = lines[room - 1] ?? '';
  const end = displayWidth(last) < width ? `${last}…` : clipText(`${last} `, width);
  return [...lines.slice(0, room - 1), end];
}

/** Said quietly while it is not done yet: what it has to be, and how far it is. */
function findStepHint(step: FieldStep): string | undefined {
  switch (step.kind) {
    case 'list':
      return step.isMany ? formatChoiceHint(step) : undefined;
    case 'flag':
      return undefined;
    case 'writing':
      return findTextHint(step);
  }
}

function formatChoiceHint({ field, picked, isOther }: ChoiceStep): string {
  const count = picked.length + (isOther ? 1 : 0);
  const limits = field.schema ? toSentence(describeSchema(field.schema)) : '';
  return [`${count || 'None'} chosen.`, limits].filter(Boolean).join(' ');
}

function findTextHint(step: TextStep): string | undefined {
  const { field, editor } = step;
  const words = describeTextRequirement(step);
  if (editor.text.trim() === '') return field.required ? words : `${words ?? ''} May be left empty.`.trim();
  const taken = readStep(step);
  if (isDateTimeControl(chooseControl(field))) return words;
  return taken.ok ? undefined : taken.fault;
}

/** What it has to be, where it has to be something. */
function describeTextRequirement({ field }: TextStep): string | undefined {
  if (isDateTimeControl(chooseControl(field)))
    return `A date and time, such as 2026-11-16 09:30, in your time (${localTimeZone()}).`;
  const { schema } = field;
  if (!schema) return undefined;
  const words = describeSchema(schema);
  return words === 'text' ? undefined : toSentence(words);
}

/** A key, what it does, and how soon it may go where there is little room: the highest goes first. */
interface KeyHint {
  key: string;
  does: string;
  rank: number;
}

/** As many keys as fit on a line, the least needed left out. */
export function renderKeyHints(form: PromptForm, width: number): string {
  const all = listKeyHints(form);
  for (let shown = all; shown.length > 0; shown = dropLeastNeeded(shown)) {
    const line = shown.map(({ key, does }) => `${key} ${does}`).join(' · ');
    if (displayWidth(line) <= width) return line;
  }
  return '';
}

function dropLeastNeeded(helps: KeyHint[]): KeyHint[] {
  const rank = Math.max(...helps.map((help) => help.rank));
  return helps.filter((help) => help.rank < rank);
}

function listKeyHints(form: PromptForm): KeyHint[] {
  const { over } = form;
  if (over?.kind === 'keys') return [keyHint('Enter', 'close', 0), keyHint('↑↓', 'scroll', 1)];
  if (over?.kind === 'comment') return [keyHint('Enter', 'keep', 0), ...NEW_LINE_HINT, keyHint('Esc', 'back', 1)];
  if (over?.kind === 'decline') return [keyHint('Enter', 'decline', 0), ...NEW_LINE_HINT, keyHint('Esc', 'back', 1)];
  const step = currentStep(form);
  if (step?.kind === 'list' && step.isWriting)
    return [keyHint('Enter', step.isMany ? 'keep' : enterLabel(form), 0), keyHint('Esc', 'back', 1)];
  return [
    ...listStepKeyHints(form),
    ...(step ? [keyHint('Enter', enterLabel(form), 0)] : []),
    ...listCommonKeyHints(form),
  ];
}

const NEW_LINE_HINT = [keyHint('Alt-Enter', 'new line', 2)];

function keyHint(key: string, does: string, rank: number): KeyHint {
  return { key, does, rank };
}

function enterLabel(form: PromptForm): string {
  return hasReview(form) ? 'next' : 'send';
}

function listStepKeyHints(form: PromptForm): KeyHint[] {
  const step = currentStep(form);
  switch (step?.kind) {
    case undefined:
      return [keyHint('↑↓', 'move', 4), keyHint('Enter', form.row > form.steps.length ? 'send' : 'change', 0)];
    case 'list':
      return [
        keyHint('↑↓', 'move', 4),
        ...(step.isMany ? [keyHint('Space', 'choose', 1)] : []),
        ...(step.filter === undefined && !step.isMany ? [keyHint('type', 'to filter', 5)] : []),
        ...(step.filter === undefined && step.isMany ? [keyHint('Ctrl-A', 'all', 6)] : []),
      ];
    case 'flag':
      return [keyHint('←→', 'move', 4)];
    case 'writing':
      return step.editor.isLong ? [keyHint('Alt-Enter', 'new line', 4)] : [];
  }
}

function listCommonKeyHints(form: PromptForm): KeyHint[] {
  const step = currentStep(form);
  const isFiltering = step?.kind === 'list' && step.filter !== undefined;
  return [
    ...(form.at > 0 ? [keyHint('Shift-Tab', 'back', 5)] : []),
    keyHint('Ctrl-T', 'comment', 7),
    keyHint('Ctrl-X', 'decline', 6),
    keyHint('Esc', isFiltering ? 'clear' : 'later', 2),
    keyHint(step?.kind === 'writing' || isFiltering ? 'F1' : '?', 'keys', 3),
  ];
}

/** Every key there is here, with what it does. */
export function listKeyBindings(form: PromptForm): [key: string, does: string][] {
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
  const back = hasReview(form) ? [BACK_BINDING] : [];
  switch (step?.kind) {
    case undefined:
      return [['↑ ↓ j k', 'Move'], ['Enter', 'Send it, or change that line'], ...back];
    case 'list':
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
        ...back,
      ];
    case 'flag':
      return [['← → y n', 'Move'], ['Enter', hasReview(form) ? 'Take it and go on' : 'Send'], ...back];
    case 'writing':
      return [
        ['Enter', hasReview(form) ? 'Take it and go on' : 'Send'],
        ...(step.editor.isLong ? ([['Alt-Enter', 'A new line; also Ctrl-J']] as [string, string][]) : []),
        ['← → Alt-B/F', 'Move by characters, by words'],
        ['Ctrl-A/E', 'To the start, to the end'],
        ['Ctrl-U/K', 'Delete to the start, to the end'],
        ['Ctrl-W', 'Delete the word before'],
        ...back,
      ];
  }
}
