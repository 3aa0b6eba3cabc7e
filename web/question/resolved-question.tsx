import { Check, CircleSlash, Hourglass } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Question, QuestionField } from '#contract/question';
import { createFormState, parseForm } from '#presentation/form-state';
import { describeOutcome, formatAnswerValue } from '#presentation/labels';
import { toQuestionKey } from '#presentation/question-list';
import { deleteDraft, readUnsentDraft, saveUnsentDraft } from '../session/drafts';
import { Button } from '../ui/button';
import { TimeAgo } from '../ui/time';
import { showToast } from '../ui/toast';
import css from './resolved-question.module.css';
import { type AnswerDraft, formatAnswerDraft } from './use-answer-form';

const OUTCOME_ICONS = {
  answered: Check,
  declined: CircleSlash,
  timed_out: Hourglass,
  cancelled: CircleSlash,
  pending: Hourglass,
};

/** How a question ended: what was answered, by whom, when and by what way. Read-only. */
export function ResolvedQuestionView({ question }: { question: Question }) {
  const { outcome, status, fields } = question;
  const Icon = OUTCOME_ICONS[status];
  return (
    <div className={css.settled}>
      <dl className={css.answers}>
        {fields.map((field) => (
          <AnswerRow key={field.key} field={field} question={question} />
        ))}
        {outcome?.comment && (
          <div>
            <dt>{status === 'declined' ? 'Reason' : 'Comment'}</dt>
            <dd className={css.value} dir="auto">
              {outcome.comment}
            </dd>
          </div>
        )}
      </dl>
      <p className={css.outcome} data-outcome={status} role="status">
        <Icon size={16} aria-hidden="true" />
        <span>
          {describeOutcome(question)}
          {outcome && (
            <>
              , <TimeAgo at={outcome.at} />
            </>
          )}
        </span>
      </p>
      <UnsentDraft question={question} />
    </div>
  );
}

function AnswerRow({ field, question: { outcome } }: { field: QuestionField; question: Question }) {
  const value = outcome?.answers?.[field.key];
  return (
    <div>
      <dt className={css.question} dir="auto">
        {field.question}
      </dt>
      <dd className={css.value} dir="auto">
        {value === undefined ? <span className={css.none}>No answer</span> : formatAnswerValue(value)}
      </dd>
    </div>
  );
}

/** What this person had typed when somebody else, or the clock, was quicker. */
function UnsentDraft({ question }: { question: Question }) {
  const name = `question.${toQuestionKey(question)}`;
  const [draft, setDraft] = useState(() => readUnsentDraft<AnswerDraft>(name));
  const left = draft && !isDraftRedundant(draft, question) ? draft : undefined;
  useEffect(() => {
    if (left) saveUnsentDraft(name, left);
  }, [name, left]);
  if (!left) return null;
  const dismiss = () => {
    deleteDraft(name);
    setDraft(undefined);
  };
  return <UnsentAnswer draft={left} fields={question.fields} onDismiss={dismiss} />;
}

/** It did arrive, and counts, or nothing was put in beyond what was there: there is nothing to keep. */
function isDraftRedundant({ form, comment }: AnswerDraft, { fields, outcome }: Question): boolean {
  const said = comment.trim();
  if (said !== '' && said !== outcome?.comment) return false;
  const read = parseForm(fields, form);
  return (
    isEqualJson(form, createFormState(fields)) ||
    (read.ok && outcome !== null && isEqualJson(read.answers, outcome.answers))
  );
}

function isEqualJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

interface UnsentAnswerProps {
  draft: AnswerDraft;
  fields: readonly QuestionField[];
  onDismiss: () => void;
}

function UnsentAnswer({ draft, fields, onDismiss }: UnsentAnswerProps) {
  const lines = formatAnswerDraft(draft, fields);
  if (lines.length === 0) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(lines.join('\n'));
    showToast('Copied.');
  };
  return (
    <section className={css.unsent} aria-label="What you had typed">
      <p className={css.unsentTitle}>What you had typed was not sent. It is kept here:</p>
      <ul className={css.lines}>
        {lines.map((line) => (
          <li key={line} dir="auto">
            {line}
          </li>
        ))}
      </ul>
      <div className={css.buttons}>
        {/* Only where a page is secure. */}
        {navigator.clipboard && <Button onClick={copy}>Copy</Button>}
        <Button look="quiet" onClick={onDismiss}>
          Discard
        </Button>
      </div>
    </section>
  );
}
