import type { PromptReply } from '#cli/prompt/ask-question';
import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { editListFilter, moveInList } from '#cli/tty/list-keys';
import type { AnswerValue } from '#contract/question';
import {
  type ChoiceStep,
  type FieldStep,
  filterChoices,
  hasNoMatches,
  listChoiceRows,
  readStep,
  type TextStep,
} from './field-step';
import { currentStep, type FormOverlay, hasReview, type PromptForm, withStep } from './form-state';
import { createTextEditor, editText } from './text-editor';

/** The form after a key, and the reply if the key ends the prompt. */
export interface FormKeyResult {
  form: PromptForm;
  reply?: PromptReply;
}

export function handleFormKey(form: PromptForm, key: KeyPress): FormKeyResult {
  const chord = keyChord(key);
  if (chord === 'C-c') return { form, reply: { kind: 'quit' } };
  if (form.isSending) return { form };
  const cleared = { ...form, error: undefined };
  if (form.overlay) return handleOverlayKey(cleared, form.overlay, key);
  if (chord === 'C-t') return { form: { ...cleared, overlay: { kind: 'comment' } } };
  if (chord === 'C-x') return { form: { ...cleared, overlay: { kind: 'reason' } } };
  if (chord === 'f1') return { form: openKeyHelp(cleared) };
  const step = currentStep(cleared);
  return step ? handleStepKey(cleared, step, key, chord) : handleReviewKey(cleared, key, chord);
}

function openKeyHelp(form: PromptForm): PromptForm {
  return { ...form, overlay: { kind: 'help', scrollOffset: 0 } };
}

function handleOverlayKey(form: PromptForm, overlay: FormOverlay, key: KeyPress): FormKeyResult {
  const chord = keyChord(key);
  const closed = { ...form, overlay: undefined };
  if (overlay.kind === 'help') {
    const delta = { up: -1, down: 1, k: -1, j: 1 }[chord];
    const scrollOffset = Math.max(0, overlay.scrollOffset + (delta ?? 0));
    return { form: delta === undefined ? closed : { ...form, overlay: { kind: 'help', scrollOffset } } };
  }
  if (chord === 'return' && overlay.kind === 'reason') return { form, reply: createDeclineReply(form) };
  if (chord === 'return' || chord === 'escape' || chord === 'C-t') return { form: closed };
  const editor = editText(form[overlay.kind], key);
  return { form: editor ? { ...form, [overlay.kind]: editor } : form };
}

function createDeclineReply({ reason }: PromptForm): PromptReply {
  const reasonText = reason.text.trim();
  return { kind: 'decline', ...(reasonText && { reason: reasonText }) };
}

function handleStepKey(form: PromptForm, current: FieldStep, key: KeyPress, chord: string): FormKeyResult {
  const { error: _, ...step } = current;
  const result = step.kind === 'choice' ? handleChoiceKey(step, key) : handleTextKey(step as TextStep, key);
  if (result) return applyStepMove(withStep(form, result.step), result);
  if (chord === 'escape') return { form, reply: { kind: 'later' } };
  if (chord === 'S-tab') return { form: previousStep(form) };
  if (chord === 'tab' && hasReview(form)) return nextStep(form, step as FieldStep);
  return { form };
}

function applyStepMove(form: PromptForm, { step, goTo: target }: StepKeyResult<FieldStep>): FormKeyResult {
  if (target === 'next') return nextStep(form, step);
  if (target === 'back') return { form: previousStep(form) };
  return { form: target === 'help' ? openKeyHelp(form) : form };
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

/** Replies with all answers, or goes to the first invalid step. */
function submitForm(form: PromptForm): FormKeyResult {
  const answers: Record<string, AnswerValue> = {};
  for (const [stepIndex, step] of form.steps.entries()) {
    const result = readStep(step);
    if (!result.ok) return { form: withStep({ ...form, stepIndex }, { ...step, error: result.error }) };
    if (result.value !== undefined) answers[step.field.key] = result.value;
  }
  const comment = form.comment.text.trim();
  return { form, reply: { kind: 'answer', answers, ...(comment && { comment }) } };
}

/** Enter on a row of the review opens it for editing. */
function handleReviewKey(form: PromptForm, key: KeyPress, chord: string): FormKeyResult {
  const { reviewRow } = form;
  const sendRow = reviewSendRow(form);
  if (chord === 'escape') return { form, reply: { kind: 'later' } };
  if (key.text === '?') return { form: openKeyHelp(form) };
  if (chord === 'return' || chord === 'enter')
    return reviewRow === sendRow ? submitForm(form) : { form: openReviewRow(form) };
  if (chord === 'S-tab' || chord === 'left') return { form: { ...form, stepIndex: form.steps.length - 1 } };
  const downKey = chord === 'tab' ? { ...key, name: 'down' } : key;
  const row = moveInList(downKey, { rowIndex: reviewRow, rowCount: sendRow + 1, pageRows: sendRow });
  return { form: row === undefined ? form : { ...form, reviewRow: row } };
}

/** The review rows after the fields are the comment and “Send”. */
function reviewCommentRow({ steps }: PromptForm): number {
  return steps.length;
}

function reviewSendRow({ steps }: PromptForm): number {
  return steps.length + 1;
}

function openReviewRow(form: PromptForm): PromptForm {
  return form.reviewRow === reviewCommentRow(form)
    ? { ...form, overlay: { kind: 'comment' } }
    : { ...form, stepIndex: form.reviewRow };
}

function handleTextKey(step: TextStep, key: KeyPress): StepKeyResult<TextStep> | undefined {
  const chord = keyChord(key);
  const isLong = step.editor.isLong;
  if (chord === 'return' || (chord === 'enter' && !isLong)) return { step, goTo: 'next' };
  const editor = editText(step.editor, key);
  return editor && { step: { ...step, editor } };
}

/** The effect of a key on a step: the new step and where to go next. Handlers return undefined for unused keys. */
interface StepKeyResult<Of> {
  step: Of;
  goTo?: 'next' | 'back' | 'help';
}

const PAGE_ROWS = 10;

/** Keys of a choice of yes or no, and the list keys they stand for. */
const YES_NO_KEYS: Record<string, Pick<KeyPress, 'name' | 'text'>> = {
  left: { name: 'up', text: '' },
  right: { name: 'down', text: '' },
  y: { name: '1', text: '1' },
  n: { name: '2', text: '2' },
};

function handleChoiceKey(step: ChoiceStep, pressedKey: KeyPress): StepKeyResult<ChoiceStep> | undefined {
  if (step.isEditingOther) return handleOtherKey(step, pressedKey);
  const { filter, isMany, isYesNo } = step;
  const key = { ...pressedKey, ...(isYesNo && YES_NO_KEYS[keyChord(pressedKey).toLowerCase()]) };
  const chord = keyChord(key);
  const rowIndex = moveInList(key, { ...step, rowCount: listChoiceRows(step).length, pageRows: PAGE_ROWS });
  if (rowIndex !== undefined) return { step: { ...step, rowIndex } };
  if (chord === 'return' || chord === 'enter') return confirmRow(step);
  if (isMany && (chord === 'space' || chord === 'tab')) return { step: toggleRow(step) };
  if (filter === undefined) {
    if (chord === 'left') return { step, goTo: 'back' };
    if (isMany && chord === 'C-a') return { step: { ...step, picked: toggleAllChoices(step) } };
    if (key.text === '?') return { step, goTo: 'help' };
  }
  const newFilter = isYesNo ? false : editListFilter(key, filter);
  return newFilter === false ? undefined : { step: filterChoices(step, newFilter) };
}

function toggleAllChoices({ options, picked }: ChoiceStep): string[] {
  return picked.length < options.length ? options.map(({ label }) => label) : [];
}

function toggleRow(step: ChoiceStep): ChoiceStep {
  const row = listChoiceRows(step)[step.rowIndex];
  if (row?.kind === 'other') return step.isOther ? { ...step, isOther: false } : openOtherInput(step);
  if (row?.kind !== 'option') return step;
  const { label } = row.option;
  const picked = step.picked.includes(label) ? step.picked.filter((other) => other !== label) : [...step.picked, label];
  return { ...step, picked };
}

function confirmRow(step: ChoiceStep): StepKeyResult<ChoiceStep> {
  const row = listChoiceRows(step)[step.rowIndex];
  if (row?.kind === 'other' && !(step.isMany && step.isOther)) return { step: openOtherInput(step) };
  if (step.isMany) return { step, goTo: 'next' };
  if (row === undefined) return { step };
  const picked = row.kind === 'option' ? [row.option.label] : [];
  return { step: { ...step, picked, isOther: false }, goTo: 'next' };
}

/** Opens “Other”, prefilled with the filter text if it matched nothing. */
function openOtherInput(step: ChoiceStep): ChoiceStep {
  const unmatchedFilter = hasNoMatches(step) ? step.filter : undefined;
  return { ...step, isEditingOther: true, other: unmatchedFilter ? createTextEditor(unmatchedFilter) : step.other };
}

function handleOtherKey(step: ChoiceStep, key: KeyPress): StepKeyResult<ChoiceStep> | undefined {
  const chord = keyChord(key);
  if (chord === 'escape' || chord === 'S-tab') return { step: { ...step, isEditingOther: false } };
  if (chord !== 'return' && chord !== 'enter') {
    const other = editText(step.other, key);
    return other && { step: { ...step, other } };
  }
  const isOther = step.other.text.trim() !== '';
  if (!isOther && !step.isMany) return { step: { ...step, error: 'Describe “Other”.' } };
  const closed = selectOtherRow({ ...step, filter: undefined, isOther, isEditingOther: false });
  return step.isMany ? { step: closed } : { step: { ...closed, picked: [] }, goTo: 'next' };
}

function selectOtherRow(step: ChoiceStep): ChoiceStep {
  const rowIndex = listChoiceRows(step).findIndex(({ kind }) => kind === 'other');
  return { ...step, rowIndex: Math.max(0, rowIndex) };
}
