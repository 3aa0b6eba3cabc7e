import { Clock, ShieldAlert } from 'lucide-react';
import { useId } from 'react';
import type { Question } from '#contract/question';
import { contextWithoutArguments } from '#presentation/confirmation';
import { formatLocalTime, formatTimeUntil } from '#presentation/format-time';
import { describeTimeoutPolicy, formatOrigin } from '#presentation/labels';
import { classifyUrgency } from '#presentation/question-list';
import { useLatestQuestion } from '../api/live-questions';
import { joinClassNames } from '../lib/class-names';
import { useNow } from '../lib/clock';
import { useHasScope } from '../session/session';
import { Markdown } from '../ui/markdown/markdown';
import { Pill } from '../ui/pill';
import { TimeAgo } from '../ui/time';
import { ActionArguments } from './action-arguments';
import { AnswerForm } from './answer-form';
import css from './question-card.module.css';
import { ResolvedQuestionView } from './resolved-question';

interface QuestionCardProps {
  question: Question;
  onSubmitted?: (question: Question) => void;
}

/** A complete question: its context, and the answer form or the outcome. */
export function QuestionCard({ question: initialQuestion, onSubmitted }: QuestionCardProps) {
  const question = useLatestQuestion(initialQuestion);
  const canAnswer = useHasScope('questions:answer');
  const titleId = useId();
  const isOpen = question.status === 'pending';
  const isDestructive = isOpen && question.confirms?.destructive === true;
  const context = contextWithoutArguments(question.context, question.confirms);
  return (
    <article
      className={joinClassNames(
        css.card,
        isOpen && css.open,
        isOpen && question.confirms && css.confirm,
        isDestructive && css.destructive,
      )}
      aria-labelledby={titleId}
      data-question={`${question.conversationId}/${question.id}`}
      data-status={question.status}
      data-destructive={isDestructive || undefined}
    >
      <header className={css.head}>
        <h2 id={titleId} className={css.heading}>
          {question.confirms && <ShieldAlert size={16} aria-hidden="true" />}
          <span className={css.agent}>{formatOrigin(question.origin)}</span>{' '}
          {question.confirms ? 'needs your approval' : 'asks'}
        </h2>
        <p className={css.times}>
          <TimeAgo at={question.askedAt} />
          {isOpen && (
            <>
              <Clock size={14} aria-hidden="true" />
              <DeadlinePill question={question} />
            </>
          )}
        </p>
      </header>
      {context && <Markdown text={context} className={css.context} />}
      {question.confirms && <ActionArguments confirms={question.confirms} isDestructive={isDestructive} />}
      {isOpen && canAnswer && <AnswerForm question={question} onSubmitted={onSubmitted} />}
      {isOpen && !canAnswer && <ReadOnlyQuestion question={question} />}
      {!isOpen && <ResolvedQuestionView question={question} />}
    </article>
  );
}

function ReadOnlyQuestion({ question }: { question: Question }) {
  return (
    <>
      <ul className={css.list}>
        {question.fields.map((field) => (
          <li key={field.key} dir="auto">
            {field.question}
            {field.options && (
              <ul className={css.options}>
                {field.options.map(({ label, description }) => (
                  <li key={label}>{description ? `${label}: ${description}` : label}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      <p className={css.note}>You can view but not answer questions. Ask your administrator for access.</p>
    </>
  );
}

/** Shows the deadline as "Due in 3 h". The tooltip says what happens when it passes. */
export function DeadlinePill({ question }: { question: Question }) {
  const now = useNow();
  const { expiresAt } = question;
  if (expiresAt === null) return <Pill>No deadline</Pill>;
  const urgency = classifyUrgency(question, now);
  const tone = urgency === 'calm' ? 'plain' : urgency === 'soon' ? 'warn' : 'danger';
  const text = urgency === 'late' ? 'Overdue' : `Due ${formatTimeUntil(expiresAt, now)}`;
  return (
    <Pill tone={tone}>
      <time dateTime={expiresAt} title={`${formatLocalTime(expiresAt)}. ${describeTimeoutPolicy(question)}`.trim()}>
        {text}
      </time>
    </Pill>
  );
}
