import type { PromptReply } from '#cli/prompt/ask-question';
import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { type ButtonStep, type FieldStep, readStep, type TextStep } from './field-step';
import { collectAnswers, currentStep, hasReview, type PromptForm, withStep } from './form-state';
import { handleChoiceKey, type StepKeyResult } from './list-keys';
import { editText, type TextEditor } from './text-editor';

/** The form after a key, and what it leads to where it ends there. */
export interface FormKeyResult {
  form: PromptForm;
  reply?: PromptReply;
}

const PAGE_ROWS = 10;

export function handleFormKey(form: PromptForm, key: KeyPress): FormKeyResult {
  const chord = keyChord(key);
  if (chord === 'C-c') return { form, reply: { kind: 'left' } };
  if (form.isSending) return { form };
  const calm = { ...form, trouble: undefined };
  if (form.over) return handleOverlayKey(calm, key, chord);
  if (chord === 'C-t') return { form: { ...calm, over: { kind: 'comment' } } };
  if (chord === 'C-x') return { form: { ...calm, over: { kind: 'decline' } } };
  if (chord === 'f1') return { form: openKeyHelp(calm) };
  const step = currentStep(calm);
  return step ? handleStepKey(calm, step, key, chord) : handleReviewKey(calm, key, chord);
}

function openKeyHelp(form: PromptForm): PromptForm {
  return { ...form, over: { kind: 'keys', from: 0 } };
}

function handleOverlayKey(form: PromptForm, key: KeyPress, chord: string): FormKeyResult {
  const { over } = form;
  const closed = { ...form, over: undefined };
  if (over?.kind === 'keys') {
    const by = { up: -1, down: 1, k: -1, j: 1 }[chord];
    return { form: by ? { ...form, over: { ...over, from: Math.max(0, over.from + by) } } : closed };
  }
  if (chord === 'escape') return { form: closed };
  const isComment = over?.kind === 'comment';
  if (isComment && (chord === 'return' || chord === 'C-t')) return { form: closed };
  if (chord === 'return') return { form, reply: createDeclineReply(form) };
  return { form: isComment ? editOverlayText(form, 'comment', key) : editOverlayText(form, 'reason', key) };
}

function editOverlayText(form: PromptForm, which: 'comment' | 'reason', key: KeyPress): PromptForm {
  const editor: TextEditor | undefined = editText(form[which], key);
  return editor ? { ...form, [which]: editor } : form;
}

function createDeclineReply({ reason }: PromptForm): PromptReply {
  const said = reason.text.trim();
  return { kind: 'decline', ...(said && { reason: said }) };
}

function handleStepKey(form: PromptForm, given: FieldStep, key: KeyPress, chord: string): FormKeyResult {
  const { fault: _, ...step } = given;
  const stepped = dispatchStepKey(step as FieldStep, key);
  if (stepped) return applyStepMove(withStep(form, stepped.step), stepped);
  if (chord === 'escape') return { form, reply: { kind: 'later' } };
  if (chord === 'S-tab') return { form: previousStep(form) };
  if (chord === 'tab' && hasReview(form)) return nextStep(form, step as FieldStep);
  return { form };
}

function dispatchStepKey(step: FieldStep, key: KeyPress): StepKeyResult<FieldStep> | undefined {
  switch (step.kind) {
    case 'list':
      return handleChoiceKey(step, key, PAGE_ROWS);
    case 'flag':
      return handleButtonKey(step, key);
    case 'writing':
      return handleTextKey(step, key);
  }
}

function applyStepMove(form: PromptForm, { step, go: to }: StepKeyResult<FieldStep>): FormKeyResult {
  switch (to) {
    case 'next':
      return nextStep(form, step);
    case 'back':
      return { form: previousStep(form) };
    case 'keys':
      return { form: openKeyHelp(form) };
    default:
      return { form };
  }
}

function previousStep(form: PromptForm): PromptForm {
  return { ...form, at: Math.max(0, form.at - 1) };
}

function nextStep(form: PromptForm, step: FieldStep): FormKeyResult {
  const taken = readStep(step);
  if (!taken.ok) return { form: withStep(form, { ...step, fault: taken.fault }) };
  if (!hasReview(form)) return submitForm(form);
  const isLast = form.at === form.steps.length - 1;
  if (!isLast && !form.isReviewed) return { form: { ...form, at: form.at + 1 } };
  return { form: { ...form, at: form.steps.length, isReviewed: true, row: form.steps.length + 1 } };
}

function submitForm(form: PromptForm): FormKeyResult {
  const whole = collectAnswers(form);
  if (!whole.ok) return { form: whole.form };
  const comment = form.comment.text.trim();
  return { form, reply: { kind: 'answer', answers: whole.answers, ...(comment && { comment }) } };
}

function handleReviewKey(form: PromptForm, key: KeyPress, chord: string): FormKeyResult {
  if (chord === 'escape') return { form, reply: { kind: 'later' } };
  if (key.text === '?') return { form: openKeyHelp(form) };
  const reviewed = moveInReview(form, key, chord);
  return reviewed === 'send' ? submitForm(form) : { form: reviewed };
}

/** After the fields: the comment, and sending it all. */
export function reviewCommentRow({ steps }: PromptForm): number {
  return steps.length;
}

export function reviewSendRow({ steps }: PromptForm): number {
  return steps.length + 1;
}

/** Enter on a line goes there to change it. */
function moveInReview(form: PromptForm, key: KeyPress, chord: string): PromptForm | 'send' {
  const { row } = form;
  const last = reviewSendRow(form);
  if (chord === 'return' || chord === 'enter') return row === last ? 'send' : openReviewRow(form);
  if (chord === 'S-tab' || chord === 'left') return { ...form, at: form.steps.length - 1 };
  if (/^[1-9]$/.test(key.text)) return { ...form, row: Math.min(Number(key.text) - 1, last) };
  switch (key.text || chord) {
    case 'up':
    case 'k':
      return { ...form, row: row === 0 ? last : row - 1 };
    case 'down':
    case 'j':
    case 'tab':
      return { ...form, row: row === last ? 0 : row + 1 };
    case 'home':
    case 'pageup':
      return { ...form, row: 0 };
    case 'end':
    case 'pagedown':
      return { ...form, row: last };
    default:
      return form;
  }
}

function openReviewRow(form: PromptForm): PromptForm {
  return form.row === reviewCommentRow(form) ? { ...form, over: { kind: 'comment' } } : { ...form, at: form.row };
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

/** `y` and `n` only go there: what is sent is sent by Enter. */
function handleButtonKey(flag: ButtonStep, key: KeyPress): StepKeyResult<ButtonStep> | undefined {
  const chord = keyChord(key);
  if (chord === 'return' || chord === 'enter') return { step: flag, go: 'next' };
  if (key.name === 'paste') return { step: flag };
  if (key.text === '?') return { step: flag, go: 'keys' };
  const to = { y: 0, 1: 0, n: 1, 2: 1, 3: 2, home: 0, end: flag.choices.length - 1 }[chord.toLowerCase()];
  const at = to ?? (BUTTON_MOVES[chord] === undefined ? undefined : flag.at + BUTTON_MOVES[chord]);
  if (at === undefined) return undefined;
  return { step: { ...flag, at: Math.max(0, Math.min(at, flag.choices.length - 1)) } };
}

function handleTextKey(writing: TextStep, key: KeyPress): StepKeyResult<TextStep> | undefined {
  const chord = keyChord(key);
  const isLong = writing.editor.isLong;
  if (chord === 'return' || (chord === 'enter' && !isLong)) return { step: writing, go: 'next' };
  const editor = editText(writing.editor, key);
  return editor && { step: { ...writing, editor } };
}
