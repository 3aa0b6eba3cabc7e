import type { PromptReply } from '#cli/prompt/ask-question';
import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { type ButtonStep, type FieldStep, readStep, type TextStep } from './field-step';
import { collectAnswers, currentStep, hasReview, type PromptForm, withStep } from './form-state';
import { handleChoiceKey, type StepKeyResult } from './list-keys';
import { editText, type TextEditor } from './text-editor';

/** The form after a key, and the reply if the key ends the prompt. */
export interface FormKeyResult {
  form: PromptForm;
  reply?: PromptReply;
}

const PAGE_ROWS = 10;

export function handleFormKey(form: PromptForm, key: KeyPress): FormKeyResult {
  const chord = keyChord(key);
  if (chord === 'C-c') return { form, reply: { kind: 'quit' } };
  if (form.isSending) return { form };
  const cleared = { ...form, error: undefined };
  if (form.overlay) return handleOverlayKey(cleared, key, chord);
  if (chord === 'C-t') return { form: { ...cleared, overlay: { kind: 'comment' } } };
  if (chord === 'C-x') return { form: { ...cleared, overlay: { kind: 'decline' } } };
  if (chord === 'f1') return { form: openKeyHelp(cleared) };
  const step = currentStep(cleared);
  return step ? handleStepKey(cleared, step, key, chord) : handleReviewKey(cleared, key, chord);
}

function openKeyHelp(form: PromptForm): PromptForm {
  return { ...form, overlay: { kind: 'help', scrollOffset: 0 } };
}

function handleOverlayKey(form: PromptForm, key: KeyPress, chord: string): FormKeyResult {
  const { overlay } = form;
  const closed = { ...form, overlay: undefined };
  if (overlay?.kind === 'help') {
    const delta = { up: -1, down: 1, k: -1, j: 1 }[chord];
    return {
      form: delta
        ? { ...form, overlay: { ...overlay, scrollOffset: Math.max(0, overlay.scrollOffset + delta) } }
        : closed,
    };
  }
  if (chord === 'escape') return { form: closed };
  const isComment = overlay?.kind === 'comment';
  if (isComment && (chord === 'return' || chord === 'C-t')) return { form: closed };
  if (chord === 'return') return { form, reply: createDeclineReply(form) };
  return { form: isComment ? editOverlayText(form, 'comment', key) : editOverlayText(form, 'reason', key) };
}

function editOverlayText(form: PromptForm, which: 'comment' | 'reason', key: KeyPress): PromptForm {
  const editor: TextEditor | undefined = editText(form[which], key);
  return editor ? { ...form, [which]: editor } : form;
}

function createDeclineReply({ reason }: PromptForm): PromptReply {
  const reasonText = reason.text.trim();
  return { kind: 'decline', ...(reasonText && { reason: reasonText }) };
}

function handleStepKey(form: PromptForm, current: FieldStep, key: KeyPress, chord: string): FormKeyResult {
  const { error: _, ...step } = current;
  const result = dispatchStepKey(step as FieldStep, key);
  if (result) return applyStepMove(withStep(form, result.step), result);
  if (chord === 'escape') return { form, reply: { kind: 'later' } };
  if (chord === 'S-tab') return { form: previousStep(form) };
  if (chord === 'tab' && hasReview(form)) return nextStep(form, step as FieldStep);
  return { form };
}

function dispatchStepKey(step: FieldStep, key: KeyPress): StepKeyResult<FieldStep> | undefined {
  switch (step.kind) {
    case 'choice':
      return handleChoiceKey(step, key, PAGE_ROWS);
    case 'buttons':
      return handleButtonKey(step, key);
    case 'text':
      return handleTextKey(step, key);
  }
}

function applyStepMove(form: PromptForm, { step, goTo: target }: StepKeyResult<FieldStep>): FormKeyResult {
  switch (target) {
    case 'next':
      return nextStep(form, step);
    case 'back':
      return { form: previousStep(form) };
    case 'help':
      return { form: openKeyHelp(form) };
    default:
      return { form };
  }
}

function previousStep(form: PromptForm): PromptForm {
  return { ...form, stepIndex: Math.max(0, form.stepIndex - 1) };
}

function nextStep(form: PromptForm, step: FieldStep): FormKeyResult {
  const result = readStep(step);
  if (!result.ok) return { form: withStep(form, { ...step, error: result.error }) };
  if (!hasReview(form)) return submitForm(form);
  const isLast = form.stepIndex === form.steps.length - 1;
  if (!isLast && !form.isReviewed) return { form: { ...form, stepIndex: form.stepIndex + 1 } };
  return { form: { ...form, stepIndex: form.steps.length, isReviewed: true, reviewRow: form.steps.length + 1 } };
}

function submitForm(form: PromptForm): FormKeyResult {
  const collected = collectAnswers(form);
  if (!collected.ok) return { form: collected.form };
  const comment = form.comment.text.trim();
  return { form, reply: { kind: 'answer', answers: collected.answers, ...(comment && { comment }) } };
}

function handleReviewKey(form: PromptForm, key: KeyPress, chord: string): FormKeyResult {
  if (chord === 'escape') return { form, reply: { kind: 'later' } };
  if (key.text === '?') return { form: openKeyHelp(form) };
  const next = moveInReview(form, key, chord);
  return next === 'send' ? submitForm(form) : { form: next };
}

/** The review rows after the fields are the comment and “Send”. */
export function reviewCommentRow({ steps }: PromptForm): number {
  return steps.length;
}

export function reviewSendRow({ steps }: PromptForm): number {
  return steps.length + 1;
}

/** Moves within the review. Enter on a row opens it for editing. */
function moveInReview(form: PromptForm, key: KeyPress, chord: string): PromptForm | 'send' {
  const { reviewRow } = form;
  const lastRow = reviewSendRow(form);
  if (chord === 'return' || chord === 'enter') return reviewRow === lastRow ? 'send' : openReviewRow(form);
  if (chord === 'S-tab' || chord === 'left') return { ...form, stepIndex: form.steps.length - 1 };
  if (/^[1-9]$/.test(key.text)) return { ...form, reviewRow: Math.min(Number(key.text) - 1, lastRow) };
  switch (key.text || chord) {
    case 'up':
    case 'k':
      return { ...form, reviewRow: reviewRow === 0 ? lastRow : reviewRow - 1 };
    case 'down':
    case 'j':
    case 'tab':
      return { ...form, reviewRow: reviewRow === lastRow ? 0 : reviewRow + 1 };
    case 'home':
    case 'pageup':
      return { ...form, reviewRow: 0 };
    case 'end':
    case 'pagedown':
      return { ...form, reviewRow: lastRow };
    default:
      return form;
  }
}

function openReviewRow(form: PromptForm): PromptForm {
  return form.reviewRow === reviewCommentRow(form)
    ? { ...form, overlay: { kind: 'comment' } }
    : { ...form, stepIndex: form.reviewRow };
}

const BUTTON_MOVES: Record<string, number> = {
  left: -1,
  up: -1,
  right: 1,
  down: 1,
  h: -1,
  k: -1,
  l: 1,
  j: 1,
};

/** `y` and `n` only move the selection; Enter sends. */
function handleButtonKey(step: ButtonStep, key: KeyPress): StepKeyResult<ButtonStep> | undefined {
  const chord = keyChord(key);
  if (chord === 'return' || chord === 'enter') return { step, goTo: 'next' };
  if (key.name === 'paste') return { step };
  if (key.text === '?') return { step, goTo: 'help' };
  const target = { y: 0, 1: 0, n: 1, 2: 1, 3: 2, home: 0, end: step.choices.length - 1 }[chord.toLowerCase()];
  const choiceIndex =
    target ?? (BUTTON_MOVES[chord] === undefined ? undefined : step.choiceIndex + BUTTON_MOVES[chord]);
  if (choiceIndex === undefined) return undefined;
  return { step: { ...step, choiceIndex: Math.max(0, Math.min(choiceIndex, step.choices.length - 1)) } };
}

function handleTextKey(step: TextStep, key: KeyPress): StepKeyResult<TextStep> | undefined {
  const chord = keyChord(key);
  const isLong = step.editor.isLong;
  if (chord === 'return' || (chord === 'enter' && !isLong)) return { step, goTo: 'next' };
  const editor = editText(step.editor, key);
  return editor && { step: { ...step, editor } };
}
