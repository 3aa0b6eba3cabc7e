import { Clock, ShieldAlert } from 'lucide-react';
import { useId } from 'react';
import type { Question } from '#contract/question';
import { isDangerous } from '#core/danger';
import { contextBeside } from '#core/shown-action';
import { lineageText } from '#core/words';
import { classes } from '../design/classes';
import { Markdown } from '../design/markdown';
import { Ago } from '../design/time';
import { useLatest } from '../live/questions';
import { useMay } from '../session/session';
import { Action } from './action';
import { AnswerForm } from './answer-form';
import css from './card.module.css';
import { Deadline } from './deadline';
import { Settled } from './settled';

interface Props {
  question: Question;
  onSettled?: (question: Question) => void;
}

/** A question with everything there is to it: why it is asked, what to answer, or how it ended. */
export function QuestionCard({ question: given, onSettled }: Props) {
  const question = useLatest(given);
  const mayAnswer = useMay('questions:answer');
  const title = useId();
  const isOpen = question.status === 'pending';
  const isGrave = isOpen && isDangerous(question);
  const context = contextBeside(question.context, question.confirms);
  return (
    <article
      className={classes(
        css.card,
        isOpen && css.open,
        isOpen && question.confirms && css.confirm,
        isGrave && css.grave,
      )}
      aria-labelledby={title}
      data-question={`${question.conversationId}/${question.id}`}
      data-status={question.status}
      data-grave={isGrave || undefined}
    >
      <header className={css.head}>
        <h2 id={title} className={css.from}>
          {question.confirms && <ShieldAlert size={16} aria-hidden="true" />}
          <span className={css.agent}>{lineageText(question.origin)}</span>{' '}
          {question.confirms ? 'asks you to confirm' : 'asks'}
        </h2>
        <p className={css.when}>
          <Ago at={question.askedAt} />
          {isOpen && (
            <>
              <Clock size={14} aria-hidden="true" />
              <Deadline question={question} />
            </>
          )}
        </p>
      </header>
      {context && <Markdown text={context} className={css.context} />}
      {question.confirms && <Action confirms={question.confirms} isGrave={isGrave} />}
      {isOpen && mayAnswer && <AnswerForm question={question} onSettled={onSettled} />}
      {isOpen && !mayAnswer && <ReadOnly question={question} />}
      {!isOpen && <Settled question={question} />}
    </article>
  );
}

function ReadOnly({ question }: { question: Question }) {
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
      <p className={css.note}>
        Your key may not answer questions. Ask whoever runs this Parley for one that may.
      </p>
    </>
  );
}
