import { useCallback, useMemo, useState } from 'react';
import { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import { blankForm, type Form, readForm } from '#core/filling';
import { keyOf } from '#core/question-key';
import { type Attempt, attemptFor } from '../attempt';
import { useOnce } from '../design/use-once';
import { useDraft } from '../drafts';
import { leaveInbox } from '../live/inbox';
import { parley } from '../parley';

export interface Draft {
  form: Form;
  comment: string;
  /** Why it is declined, while that is being written. */
  reason?: string;
  /** The last try, so that the same sent again is known to be the same. */
  attempt?: Attempt;
  /** Accepted, but no worker has acted on it yet. */
  isAccepted?: boolean;
}

export interface Faults {
  /** By the key of the field. */
  fields: Record<string, string>;
  /** Of the whole. */
  form?: string;
}

const NO_FAULTS: Faults = { fields: {} };

/** Everything there is to answering a question: what was typed, what is wrong with it, and sending it once. */
export function useForm(question: Question, onSettled: (question: Question) => void) {
  const { fields } = question;
  const blank = useMemo<Draft>(() => ({ form: blankForm(fields), comment: '' }), [fields]);
  const [draft, write, forget] = useDraft<Draft>(`question.${keyOf(question)}`, blank);
  const [faults, setFaults] = useState<Faults>(NO_FAULTS);
  const { isBusy: isSending, once } = useOnce();

  const change = useCallback(
    (next: Partial<Draft>) => {
      write({ ...draft, ...next });
      setFaults((known) => (known === NO_FAULTS ? known : { fields: without(known.fields, draft, next) }));
    },
    [draft, write],
  );

  const send = async (body: object, call: (key: string) => Promise<{ question: Question }>) => {
    setFaults(NO_FAULTS);
    const attempt = attemptFor(draft.attempt, body);
    write({ ...draft, attempt });
    try {
      const { question: settled } = await call(attempt.key);
      if (settled.status === 'pending') write({ ...draft, attempt, isAccepted: true });
      else {
        forget();
        leaveInbox(settled);
      }
      onSettled(settled);
    } catch (error) {
      setFaults(faultsOf(error));
      // Somebody was quicker: what was typed stays, and the card tells how it ended.
      const stands = error instanceof ParleyError ? error.problem?.question : undefined;
      if (stands) leaveInbox(stands);
    }
  };

  const answer = async () => {
    const read = readForm(fields, draft.form);
    if (!read.ok) {
      setFaults({ fields: read.faults });
      return;
    }
    const comment = draft.comment.trim();
    const body = { question: question.id, answers: read.answers, ...(comment ? { comment } : {}) };
    await once(() =>
      send(body, (idempotencyKey) => parley.answer(question.conversationId, body, { idempotencyKey })),
    );
  };

  const decline = async () => {
    const reason = draft.reason?.trim();
    const body = { question: question.id, ...(reason ? { reason } : {}) };
    await once(() =>
      send(body, (idempotencyKey) => parley.decline(question.conversationId, body, { idempotencyKey })),
    );
  };

  return { draft, change, faults, isSending, answer, decline };
}

/** A field that is being mended is no longer wrong. */
function without(faults: Record<string, string>, { form }: Draft, next: Partial<Draft>) {
  return Object.fromEntries(
    Object.entries(faults).filter(([key]) => !next.form || next.form[key] === form[key]),
  );
}

function faultsOf(error: unknown): Faults {
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
    if (key) fields[key] = sentence(message);
  }
  return Object.keys(fields).length > 0 ? { fields } : { fields, form: error.message };
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
