import { type Editor, edit } from '#cli/ask/editor';
import type { Reply } from '#cli/ask/reply';
import { chordOf, type Key } from '#cli/screen/key';
import { pressFlag } from './flag';
import { currentStep, type Form, hasReview, takeAll, withStep } from './form';
import { pressList, type Stepped } from './list';
import { pressReview } from './review';
import { type Step, take } from './step';
import { pressWriting } from './writing';

/** The form after a key, and what it leads to where it ends there. */
export interface Pressed {
  form: Form;
  reply?: Reply;
}

const PAGE = 10;

export function press(form: Form, key: Key): Pressed {
  const chord = chordOf(key);
  if (chord === 'C-c') return { form, reply: { kind: 'left' } };
  if (form.isSending) return { form };
  const calm = { ...form, trouble: undefined };
  if (form.over) return pressOver(calm, key, chord);
  if (chord === 'C-t') return { form: { ...calm, over: { kind: 'comment' } } };
  if (chord === 'C-x') return { form: { ...calm, over: { kind: 'decline' } } };
  if (chord === 'f1') return { form: openKeys(calm) };
  const step = currentStep(calm);
  return step ? pressStep(calm, step, key, chord) : pressAtReview(calm, key, chord);
}

function openKeys(form: Form): Form {
  return { ...form, over: { kind: 'keys', from: 0 } };
}

function pressOver(form: Form, key: Key, chord: string): Pressed {
  const { over } = form;
  const closed = { ...form, over: undefined };
  if (over?.kind === 'keys') {
    const by = { up: -1, down: 1, k: -1, j: 1 }[chord];
    return { form: by ? { ...form, over: { ...over, from: Math.max(0, over.from + by) } } : closed };
  }
  if (chord === 'escape') return { form: closed };
  const isComment = over?.kind === 'comment';
  if (isComment && (chord === 'return' || chord === 'C-t')) return { form: closed };
  if (chord === 'return') return { form, reply: declining(form) };
  return { form: isComment ? written(form, 'comment', key) : written(form, 'reason', key) };
}

function written(form: Form, which: 'comment' | 'reason', key: Key): Form {
  const editor: Editor | undefined = edit(form[which], key);
  return editor ? { ...form, [which]: editor } : form;
}

function declining({ reason }: Form): Reply {
  const said = reason.text.trim();
  return { kind: 'decline', ...(said && { reason: said }) };
}

function pressStep(form: Form, given: Step, key: Key, chord: string): Pressed {
  const { fault: _, ...step } = given;
  const stepped = pressOf(step as Step, key);
  if (stepped) return go(withStep(form, stepped.step), stepped);
  if (chord === 'escape') return { form, reply: { kind: 'later' } };
  if (chord === 'S-tab') return { form: back(form) };
  if (chord === 'tab' && hasReview(form)) return next(form, step as Step);
  return { form };
}

function pressOf(step: Step, key: Key): Stepped<Step> | undefined {
  switch (step.kind) {
    case 'list':
      return pressList(step, key, PAGE);
    case 'flag':
      return pressFlag(step, key);
    case 'writing':
      return pressWriting(step, key);
  }
}

function go(form: Form, { step, go: to }: Stepped<Step>): Pressed {
  switch (to) {
    case 'next':
      return next(form, step);
    case 'back':
      return { form: back(form) };
    case 'keys':
      return { form: openKeys(form) };
    default:
      return { form };
  }
}

function back(form: Form): Form {
  return { ...form, at: Math.max(0, form.at - 1) };
}

function next(form: Form, step: Step): Pressed {
  const taken = take(step);
  if (!taken.ok) return { form: withStep(form, { ...step, fault: taken.fault }) };
  if (!hasReview(form)) return send(form);
  const isLast = form.at === form.steps.length - 1;
  if (!isLast && !form.isReviewed) return { form: { ...form, at: form.at + 1 } };
  return { form: { ...form, at: form.steps.length, isReviewed: true, row: form.steps.length + 1 } };
}

function send(form: Form): Pressed {
  const whole = takeAll(form);
  if (!whole.ok) return { form: whole.form };
  const comment = form.comment.text.trim();
  return { form, reply: { kind: 'answer', answers: whole.answers, ...(comment && { comment }) } };
}

function pressAtReview(form: Form, key: Key, chord: string): Pressed {
  if (chord === 'escape') return { form, reply: { kind: 'later' } };
  if (key.text === '?') return { form: openKeys(form) };
  const reviewed = pressReview(form, key, chord);
  return reviewed === 'send' ? send(form) : { form: reviewed };
}
