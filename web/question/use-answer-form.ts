import { useCallback, useMemo, useState } from 'react';
import { ParleyError } from '#client/parley-error';
import type { Question, QuestionField } from '#contract/question';
import { createFormState, type FieldInput, type FormState, isFieldFilled, parseForm } from '#presentation/form-state';
import { toQuestionKey } from '#presentation/question-list';
import { apiClient } from '../api/client';
import { reuseOrCreateAttempt, type SubmitAttempt } from '../api/idempotency';
import { markQuestionResolved } from '../api/live-questions';
import { useSingleFlight } from '../lib/use-single-flight';
import { useDraft } from '../session/drafts';

export interface AnswerDraft {
  form: FormState;
  comment: string;
  /** Why it is declined, while that is being written. */
  reason?: string;
  /** The last try, so that the same sent again is known to be the same. */
  attempt?: SubmitAttempt;
  /** Accepted, but no worker has acted on it yet. */
  isAccepted?: boolean;
}

export interface AnswerFormErrors {
  /** By the key of the field. */
  fields: Record<string, string>;
  /** Of the whole. */
  form?: string;
}

const NO_ERRORS: AnswerFormErrors = { fields: {} };

/** Everything there is to answering a question: what was typed, what is wrong with it, and sending it once. */
export function useAnswerForm(question: Question, onSettled: (question: Question) => void) {
  const { fields } = question;
  const blank = useMemo<AnswerDraft>(() => ({ form: createFormState(fields), comment: '' }), [fields]);
  const [draft, write, forget] = useDraft<AnswerDraft>(`question.${toQuestionKey(question)}`, blank);
  const [faults, setFaults] = useState<AnswerFormErrors>(NO_ERRORS);
  const { isBusy: isSending, once } = useSingleFlight();

  const change = useCallback(
    (next: Partial<AnswerDraft>) => {
      write({ ...draft, ...next });
      setFaults((known) => (known === NO_ERRORS ? known : { fields: omitEditedFields(known.fields, draft, next) }));
    },
    [draft, write],
  );

  const send = async (body: object, call: (key: string) => Promise<{ question: Question }>) => {
    setFaults(NO_ERRORS);
    const attempt = reuseOrCreateAttempt(draft.attempt, body);
    write({ ...draft, attempt });
    try {
      const { question: settled } = await call(attempt.key);
      if (settled.status === 'pending') write({ ...draft, attempt, isAccepted: true });
      else {
        forget();
        markQuestionResolved(settled);
      }
      onSettled(settled);
    } catch (error) {
      setFaults(toAnswerFormErrors(error));
      // Somebody was quicker: what was typed stays, and the card tells how it ended.
      const stands = error instanceof ParleyError ? error.problem?.question : undefined;
      if (stands) markQuestionResolved(stands);
    }
  };

  const answer = async () => {
    const read = parseForm(fields, draft.form);
    if (!read.ok) {
      setFaults({ fields: read.faults });
      return;
    }
    const comment = draft.comment.trim();
    const body = { question: question.id, answers: read.answers, ...(comment ? { comment } : {}) };
    await once(() =>
      send(body, (idempotencyKey) => apiClient.answer(question.conversationId, body, { idempotencyKey })),
    );
  };

  const decline = async () => {
    const reason = draft.reason?.trim();
    const body = { question: question.id, ...(reason ? { reason } : {}) };
    await once(() =>
      send(body, (idempotencyKey) => apiClient.decline(question.conversationId, body, { idempotencyKey })),
    );
  };

  return { draft, change, faults, isSending, answer, decline };
}

/** A field that is being mended is no longer wrong. */
function omitEditedFields(faults: Record<string, string>, { form }: AnswerDraft, next: Partial<AnswerDraft>) {
  return Object.fromEntries(Object.entries(faults).filter(([key]) => !next.form || next.form[key] === form[key]));
}

function toAnswerFormErrors(error: unknown): AnswerFormErrors {
  if (!(error instanceof ParleyError)) return { fields: {}, form: String(error) };
  if (error.code === 'network')
    return {
      fields: {},
      form: 'Parley cannot be reached. What you wrote is kept here: send it again when you are back online. It counts once.',
    };
  const { errors = [] } = error.problem ?? {};
  const fields: Record<string, string> = {};
  for (const { path, message } of errors) {
    const key = /^answers\.(.+)$/.exec(path)?.[1];
    if (key) fields[key] = toSentence(message);
  }
  return Object.keys(fields).length > 0 ? { fields } : { fields, form: error.message };
}

function toSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** What is in a form, a line for each field. */
export function formatAnswerDraft({ form, comment }: AnswerDraft, fields: readonly QuestionField[]): string[] {
  const typed = fields.flatMap((field) => {
    const filling = form[field.key];
    return filling && isFieldFilled(field, filling) ? [`${field.header}: ${formatFieldInput(filling)}`] : [];
  });
  return comment.trim() ? [...typed, `Comment: ${comment}`] : typed;
}

function formatFieldInput({ picked, isOther, other, text }: FieldInput): string {
  const choices = [...picked, ...(isOther ? [other] : [])];
  return choices.length > 0 ? choices.join(', ') : text;
}
