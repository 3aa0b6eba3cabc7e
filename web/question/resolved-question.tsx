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

/** Shows how a question was resolved: the answers, by whom, when and through which channel. Read-only. */
export function ResolvedQuestionView({ question }: { question: Question }) {
  const { outcome, status, fields } = question;
  const Icon = OUTCOME_ICONS[status];
  return (
    <div className={css.resolved}>
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
              {' · '}
              <TimeAgo at={outcome.at} />
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
        {value === undefined ? <span className={css.noAnswer}>No answer</span> : formatAnswerValue(value)}
      </dd>
    </div>
  );
}

/** The person's draft when the question was resolved before they sent it. */
function UnsentDraft({ question }: { question: Question }) {
  const draftName = `question.${toQuestionKey(question)}`;
  const [draft, setDraft] = useState(() => readUnsentDraft<AnswerDraft>(draftName));
  const unsentDraft = draft && !isDraftRedundant(draft, question) ? draft : undefined;
  useEffect(() => {
    if (unsentDraft) saveUnsentDraft(draftName, unsentDraft);
  }, [draftName, unsentDraft]);
  if (!unsentDraft) return null;
  const dismiss = () => {
    deleteDraft(draftName);
    setDraft(undefined);
  };
  return <UnsentAnswer draft={unsentDraft} fields={question.fields} onDismiss={dismiss} />;
}

/** Whether the draft equals the recorded answer or the initial form, so that nothing would be lost. */
function isDraftRedundant({ form, comment }: AnswerDraft, { fields, outcome }: Question): boolean {
  const typedComment = comment.trim();
  if (typedComment !== '' && typedComment !== outcome?.comment) return false;
  const parsed = parseForm(fields, form);
  return (
    isEqualJson(form, createFormState(fields)) ||
    (parsed.ok && outcome !== null && isEqualJson(parsed.answers, outcome.answers))
  );
}

function isEqualJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
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
    showToast('Copied');
  };
  return (
    <section className={css.unsent} aria-label="Unsent draft">
      <p className={css.unsentTitle}>Your unsent draft:</p>
      <ul className={css.lines}>
        {lines.map((line) => (
          <li key={line} dir="auto">
            {line}
          </li>
        ))}
      </ul>
      <div className={css.buttons}>
        {/* The clipboard is available only in a secure context. */}
        {navigator.clipboard && <Button onClick={copy}>Copy</Button>}
        <Button variant="quiet" onClick={onDismiss}>
          Discard
        </Button>
      </div>
    </section>
  );
}
