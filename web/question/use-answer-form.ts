import { useCallback, useMemo, useState } from 'react';
import { ParleyError } from '#client/parley-error';
import type { Question, QuestionField } from '#contract/question';
import { createFormState, type FieldInput, type FormState, isFieldFilled, parseForm } from '#presentation/form-state';
import { toSentence } from '#presentation/labels';
import { toQuestionKey } from '#presentation/question-list';
import { apiClient } from '../api/client';
import { resendText, reuseOrCreateAttempt, type SubmitAttempt } from '../api/idempotency';
import { markQuestionResolved } from '../api/live-questions';
import { useSingleFlight } from '../lib/use-single-flight';
import { useDraft } from '../session/drafts';

export interface AnswerDraft {
  form: FormState;
  comment: string;
  /** The reason for skipping, as typed so far. */
  reason?: string;
  /** The last attempt, so that a repeated answer keeps its idempotency key. */
  attempt?: SubmitAttempt;
  /** Accepted, but no worker has acted on it yet. */
  isAccepted?: boolean;
}

export interface AnswerFormErrors {
  /** Errors by field key. */
  fields: Record<string, string>;
  /** An error of the whole form. */
  form?: string;
}

const NO_ERRORS: AnswerFormErrors = { fields: {} };

/** State of the answer form: the draft, its errors, and sending it once. */
export function useAnswerForm(question: Question, onSubmitted: (question: Question) => void) {
  const { fields } = question;
  const emptyDraft = useMemo<AnswerDraft>(() => ({ form: createFormState(fields), comment: '' }), [fields]);
  const [draft, setDraft, discardDraft] = useDraft<AnswerDraft>(`question.${toQuestionKey(question)}`, emptyDraft);
  const [errors, setErrors] = useState<AnswerFormErrors>(NO_ERRORS);
  const { isBusy: isSending, run } = useSingleFlight();

  const updateDraft = useCallback(
    (changes: Partial<AnswerDraft>) => {
      setDraft({ ...draft, ...changes });
      setErrors((current) =>
        current === NO_ERRORS ? current : { fields: omitEditedFields(current.fields, draft, changes) },
      );
    },
    [draft, setDraft],
  );

  const send = async (body: object, submit: (key: string) => Promise<{ question: Question }>) => {
    setErrors(NO_ERRORS);
    const attempt = reuseOrCreateAttempt(draft.attempt, body);
    setDraft({ ...draft, attempt });
    try {
      const { question: updated } = await submit(attempt.key);
      if (updated.status === 'pending') setDraft({ ...draft, attempt, isAccepted: true });
      else {
        discardDraft();
        markQuestionResolved(updated);
      }
      onSubmitted(updated);
    } catch (error) {
      setErrors(toAnswerFormErrors(error));
      // Another person answered first: the draft stays, and the card shows the outcome.
      const resolvedQuestion = error instanceof ParleyError ? error.problem?.question : undefined;
      if (resolvedQuestion) markQuestionResolved(resolvedQuestion);
    }
  };

  const answer = async () => {
    const parsed = parseForm(fields, draft.form);
    if (!parsed.ok) {
      setErrors({ fields: parsed.issues });
      return;
    }
    const comment = draft.comment.trim();
    const body = { question: question.id, answers: parsed.answers, ...(comment ? { comment } : {}) };
    await run(() =>
      send(body, (idempotencyKey) => apiClient.answer(question.conversationId, body, { idempotencyKey })),
    );
  };

  const decline = async () => {
    const reason = draft.reason?.trim();
    const body = { question: question.id, ...(reason ? { reason } : {}) };
    await run(() =>
      send(body, (idempotencyKey) => apiClient.decline(question.conversationId, body, { idempotencyKey })),
    );
  };

  return { draft, updateDraft, errors, isSending, answer, decline };
}

/** Clears the error of a field once it is edited. */
function omitEditedFields(errors: Record<string, string>, { form }: AnswerDraft, changes: Partial<AnswerDraft>) {
  return Object.fromEntries(Object.entries(errors).filter(([key]) => !changes.form || changes.form[key] === form[key]));
}

function toAnswerFormErrors(error: unknown): AnswerFormErrors {
  if (!(error instanceof ParleyError)) return { fields: {}, form: String(error) };
  if (error.code === 'network') return { fields: {}, form: resendText('answer') };
  const { errors = [] } = error.problem ?? {};
  const fields: Record<string, string> = {};
  for (const { path, message } of errors) {
    const key = /^answers\.(.+)$/.exec(path)?.[1];
    if (key) fields[key] = toSentence(message);
  }
  return Object.keys(fields).length > 0 ? { fields } : { fields, form: error.message };
}

/** One line for each filled-in field. */
export function formatAnswerDraft({ form, comment }: AnswerDraft, fields: readonly QuestionField[]): string[] {
  const lines = fields.flatMap((field) => {
    const input = form[field.key];
    return input && isFieldFilled(field, input) ? [`${field.header}: ${formatFieldInput(input)}`] : [];
  });
  return comment.trim() ? [...lines, `Comment: ${comment}`] : lines;
}

function formatFieldInput({ picked, isOther, other, text }: FieldInput): string {
  const choices = [...picked, ...(isOther ? [other] : [])];
  return choices.length > 0 ? choices.join(', ') : text;
}
