import type { Question, ValidationIssue } from '#contract/question';
import { toSentence } from '#presentation/labels';
import { createFieldStep, type FieldStep, toFieldInput } from './field-step';
import { createTextEditor, type TextEditor } from './text-editor';

/** The complete state of a prompt. Keys change it and the screen renders it. */
export interface PromptForm {
  question: Question;
  steps: readonly FieldStep[];
  /** The current step; one past the last step is the review. */
  stepIndex: number;
  /** The review was reached once, so each later change returns to it. */
  isReviewed: boolean;
  /** The current row of the review. */
  reviewRow: number;
  /** Shown instead of the step. */
  overlay?: FormOverlay | undefined;
  comment: TextEditor;
  reason: TextEditor;
  /** Why sending failed. */
  error?: string | undefined;
  isSending: boolean;
  /** The typeahead guard has ended, so keys are accepted. */
  isReady: boolean;
}

/** The comment or the reason for skipping is edited, or the keys are listed. */
export type FormOverlay = { kind: 'comment' | 'reason' } | { kind: 'help'; scrollOffset: number };

export function createPromptForm(question: Question, isReady = true): PromptForm {
  return {
    question,
    steps: question.fields.map((field) => createFieldStep(field, question)),
    stepIndex: 0,
    isReviewed: false,
    reviewRow: 0,
    comment: createTextEditor('', true),
    reason: createTextEditor('', true),
    isSending: false,
    isReady,
  };
}

/** Returns whether the form has a review before sending. A single field needs none. */
export function hasReview({ steps }: PromptForm): boolean {
  return steps.length > 1;
}

/** Undefined in the review. */
export function currentStep({ steps, stepIndex }: PromptForm): FieldStep | undefined {
  return steps[stepIndex];
}

export function withStep(form: PromptForm, step: FieldStep): PromptForm {
  return { ...form, steps: form.steps.map((current, index) => (index === form.stepIndex ? step : current)) };
}

/** Shows issues from the server at their fields. */
export function withAnswerIssues(form: PromptForm, issues: readonly ValidationIssue[]): PromptForm {
  const issueFor = ({ field }: FieldStep) => issues.find(({ path }) => path === `answers.${field.key}`);
  const steps = form.steps.map((step) => {
    const issue = issueFor(step);
    return issue ? { ...step, error: toSentence(issue.message) } : step;
  });
  const first = form.steps.findIndex(issueFor);
  const [general] = first === -1 ? issues : [];
  return {
    ...form,
    steps,
    stepIndex: first === -1 ? form.stepIndex : first,
    isSending: false,
    overlay: undefined,
    error: general && toSentence(general.message),
  };
}

export function withSubmitError(form: PromptForm, error: string): PromptForm {
  return { ...form, isSending: false, error };
}

/** Lists the values that differ from the defaults, one line each. */
export function listEnteredValues(form: PromptForm): string[] {
  const lines = form.steps.flatMap((step) => {
    const { picked, isOther, other, text } = toFieldInput(step);
    const blank = toFieldInput(createFieldStep(step.field, form.question));
    const entered = [...picked, ...(isOther || other ? [other] : [])].join(', ') || text;
    const isChanged = JSON.stringify(blank) !== JSON.stringify(toFieldInput(step));
    return isChanged && entered.trim() ? [`${step.field.header}: ${entered}`] : [];
  });
  const { comment, reason } = form;
  return [
    ...lines,
    ...(comment.text.trim() ? [`Comment: ${comment.text}`] : []),
    ...(reason.text.trim() ? [`Reason: ${reason.text}`] : []),
  ];
}
