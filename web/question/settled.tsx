import { Check, CircleSlash, Hourglass } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Field, Question } from '#contract/question';
import { blankForm, readForm } from '#core/filling';
import { keyOf } from '#core/question-key';
import { outcomeText, valueText } from '#core/words';
import { Ago } from '../design/time';
import { forgetDraft, keepDraft, leftDraft } from '../drafts';
import css from './settled.module.css';
import { Unsent } from './unsent';
import type { Draft } from './use-form';

const ICONS = {
  answered: Check,
  declined: CircleSlash,
  timed_out: Hourglass,
  cancelled: CircleSlash,
  pending: Hourglass,
};

/** How a question ended: what was answered, by whom, when and by what way. Read-only. */
export function Settled({ question }: { question: Question }) {
  const { outcome, status, fields } = question;
  const Icon = ICONS[status];
  return (
    <div className={css.settled}>
      <dl className={css.answers}>
        {fields.map((field) => (
          <Answer key={field.key} field={field} question={question} />
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
          {outcomeText(question)}
          {outcome && (
            <>
              , <Ago at={outcome.at} />
            </>
          )}
        </span>
      </p>
      <KeptDraft question={question} />
    </div>
  );
}

function Answer({ field, question: { outcome } }: { field: Field; question: Question }) {
  const value = outcome?.answers?.[field.key];
  return (
    <div>
      <dt className={css.question} dir="auto">
        {field.question}
      </dt>
      <dd className={css.value} dir="auto">
        {value === undefined ? <span className={css.none}>No answer</span> : valueText(value)}
      </dd>
    </div>
  );
}

/** What this person had typed when somebody else, or the clock, was quicker. */
function KeptDraft({ question }: { question: Question }) {
  const name = `question.${keyOf(question)}`;
  const [draft, setDraft] = useState(() => leftDraft<Draft>(name));
  const left = draft && !isNothing(draft, question) ? draft : undefined;
  useEffect(() => {
    if (left) keepDraft(name, left);
  }, [name, left]);
  if (!left) return null;
  const dismiss = () => {
    forgetDraft(name);
    setDraft(undefined);
  };
  return <Unsent draft={left} fields={question.fields} onDismiss={dismiss} />;
}

/** It did arrive, and counts, or nothing was put in beyond what was there: there is nothing to keep. */
function isNothing({ form, comment }: Draft, { fields, outcome }: Question): boolean {
  const said = comment.trim();
  if (said !== '' && said !== outcome?.comment) return false;
  const read = readForm(fields, form);
  return (
    isSame(form, blankForm(fields)) || (read.ok && outcome !== null && isSame(read.answers, outcome.answers))
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
