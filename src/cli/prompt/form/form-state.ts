import type { AnswerValue, Question, ValidationIssue } from '#contract/question';
import { createFieldStep, type FieldStep, readStep, toFieldInput, toSentence } from './field-step';
import { createTextEditor, type TextEditor } from './text-editor';

/** A question as somebody is answering it. All there is to it: keys change it, and the screen shows it. */
export interface PromptForm {
  question: Question;
  steps: readonly FieldStep[];
  /** Which step; the one after the last is the review. */
  at: number;
  /** Everything has been looked at once: from each change it leads back there. */
  isReviewed: boolean;
  /** Which line of the review. */
  row: number;
  /** What lies over it. */
  over?: FormOverlay | undefined;
  comment: TextEditor;
  reason: TextEditor;
  /** Why it could not be sent. */
  trouble?: string | undefined;
  isSending: boolean;
  /** Keys count. */
  isReady: boolean;
}

export type FormOverlay = { kind: 'comment' } | { kind: 'decline' } | { kind: 'keys'; from: number };

export function createPromptForm(question: Question, isReady = true): PromptForm {
  return {
    question,
    steps: question.fields.map((field) => createFieldStep(field, question)),
    at: 0,
    isReviewed: false,
    row: 0,
    comment: createTextEditor('', true),
    reason: createTextEditor('', true),
    isSending: false,
    isReady,
  };
}

/** Several fields are looked at once more before they are sent; a single one was just looked at. */
export function hasReview({ steps }: PromptForm): boolean {
  return steps.length > 1;
}

/** Nothing while the review is on. */
export function currentStep({ steps, at }: PromptForm): FieldStep | undefined {
  return steps[at];
}

export function withStep(form: PromptForm, step: FieldStep): PromptForm {
  return { ...form, steps: form.steps.map((one, index) => (index === form.at ? step : one)) };
}

export type CollectedAnswers = { ok: true; answers: Record<string, AnswerValue> } | { ok: false; form: PromptForm };

/** All answers, or the form at the first step that will not do. */
export function collectAnswers(form: PromptForm): CollectedAnswers {
  const answers: Record<string, AnswerValue> = {};
  for (const [at, step] of form.steps.entries()) {
    const taken = readStep(step);
    if (!taken.ok) return { ok: false, form: withStep({ ...form, at }, { ...step, fault: taken.fault }) };
    if (taken.value !== undefined) answers[step.field.key] = taken.value;
  }
  return { ok: true, answers };
}

/** What the server found wrong, where it was entered. */
export function withAnswerIssues(form: PromptForm, faults: readonly ValidationIssue[]): PromptForm {
  const ofStep = ({ field }: FieldStep) => faults.find(({ path }) => path === `answers.${field.key}`);
  const steps = form.steps.map((step) => {
    const fault = ofStep(step);
    return fault ? { ...step, fault: toSentence(fault.message) } : step;
  });
  const first = form.steps.findIndex(ofStep);
  const [general] = first === -1 ? faults : [];
  return {
    ...form,
    steps,
    at: first === -1 ? form.at : first,
    isSending: false,
    over: undefined,
    trouble: general && toSentence(general.message),
  };
}

export function withSubmitError(form: PromptForm, trouble: string): PromptForm {
  return { ...form, isSending: false, trouble };
}

/** What was put in beyond what was there, a line for each. */
export function listEnteredValues(form: PromptForm): string[] {
  const lines = form.steps.flatMap((step) => {
    const { picked, isOther, other, text } = toFieldInput(step);
    const blank = toFieldInput(createFieldStep(step.field, form.question));
    const said = [...picked, ...(isOther || other ? [other] : [])].join(', ') || text;
    const isNew = JSON.stringify(blank) !== JSON.stringify(toFieldInput(step));
    return isNew && said.trim() ? [`${step.field.header}: ${said}`] : [];
  });
  const { comment, reason } = form;
  return [
    ...lines,
    ...(comment.text.trim() ? [`Comment: ${comment.text}`] : []),
    ...(reason.text.trim() ? [`Reason: ${reason.text}`] : []),
  ];
}
