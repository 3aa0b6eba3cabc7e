import { type Editor, editorOf } from '#cli/ask/editor';
import type { Fault, Question, Value } from '#contract/question';
import { fillingOf, type Step, sentence, stepOf, take } from './step';

/** A question as somebody is answering it. All there is to it: keys change it, and the screen shows it. */
export interface Form {
  question: Question;
  steps: readonly Step[];
  /** Which step; the one after the last is the review. */
  at: number;
  /** Everything has been looked at once: from each change it leads back there. */
  isReviewed: boolean;
  /** Which line of the review. */
  row: number;
  /** What lies over it. */
  over?: Over | undefined;
  comment: Editor;
  reason: Editor;
  /** Why it could not be sent. */
  trouble?: string | undefined;
  isSending: boolean;
  /** Keys count. */
  isReady: boolean;
}

export type Over = { kind: 'comment' } | { kind: 'decline' } | { kind: 'keys'; from: number };

export function formOf(question: Question, isReady = true): Form {
  return {
    question,
    steps: question.fields.map((field) => stepOf(field, question)),
    at: 0,
    isReviewed: false,
    row: 0,
    comment: editorOf('', true),
    reason: editorOf('', true),
    isSending: false,
    isReady,
  };
}

/** Several fields are looked at once more before they are sent; a single one was just looked at. */
export function hasReview({ steps }: Form): boolean {
  return steps.length > 1;
}

/** Nothing while the review is on. */
export function currentStep({ steps, at }: Form): Step | undefined {
  return steps[at];
}

export function withStep(form: Form, step: Step): Form {
  return { ...form, steps: form.steps.map((one, index) => (index === form.at ? step : one)) };
}

export type Whole = { ok: true; answers: Record<string, Value> } | { ok: false; form: Form };

/** All answers, or the form at the first step that will not do. */
export function takeAll(form: Form): Whole {
  const answers: Record<string, Value> = {};
  for (const [at, step] of form.steps.entries()) {
    const taken = take(step);
    if (!taken.ok) return { ok: false, form: withStep({ ...form, at }, { ...step, fault: taken.fault }) };
    if (taken.value !== undefined) answers[step.field.key] = taken.value;
  }
  return { ok: true, answers };
}

/** What the server found wrong, where it was entered. */
export function withFaults(form: Form, faults: readonly Fault[]): Form {
  const ofStep = ({ field }: Step) => faults.find(({ path }) => path === `answers.${field.key}`);
  const steps = form.steps.map((step) => {
    const fault = ofStep(step);
    return fault ? { ...step, fault: sentence(fault.message) } : step;
  });
  const first = form.steps.findIndex(ofStep);
  const [general] = first === -1 ? faults : [];
  return {
    ...form,
    steps,
    at: first === -1 ? form.at : first,
    isSending: false,
    over: undefined,
    trouble: general && sentence(general.message),
  };
}

export function withTrouble(form: Form, trouble: string): Form {
  return { ...form, isSending: false, trouble };
}

/** What was put in beyond what was there, a line for each. */
export function entered(form: Form): string[] {
  const lines = form.steps.flatMap((step) => {
    const { picked, isOther, other, text } = fillingOf(step);
    const blank = fillingOf(stepOf(step.field, form.question));
    const said = [...picked, ...(isOther || other ? [other] : [])].join(', ') || text;
    const isNew = JSON.stringify(blank) !== JSON.stringify(fillingOf(step));
    return isNew && said.trim() ? [`${step.field.header}: ${said}`] : [];
  });
  const { comment, reason } = form;
  return [
    ...lines,
    ...(comment.text.trim() ? [`Comment: ${comment.text}`] : []),
    ...(reason.text.trim() ? [`Reason: ${reason.text}`] : []),
  ];
}
