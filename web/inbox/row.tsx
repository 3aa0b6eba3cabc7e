import { ShieldAlert } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import type { Question } from '#contract/question';
import { isDangerous } from '#core/danger';
import { keyOf } from '#core/question-key';
import { headline, lineageText, outcomeText } from '#core/words';
import { classes } from '../design/classes';
import { Pill } from '../design/pill';
import { Ago } from '../design/time';
import { useLatest } from '../live/questions';
import { useConversation } from '../live/use-conversation';
import { Deadline } from '../question/deadline';
import css from './list.module.css';

interface Props {
  question: Question;
  isAt: boolean;
  query: string;
}

const TONE = {
  answered: 'good',
  declined: 'plain',
  timed_out: 'warn',
  cancelled: 'plain',
  pending: 'plain',
} as const;

export const Row = memo(function Row({ question: given, isAt, query }: Props) {
  const question = useLatest(given);
  const title = useConversation(question.conversationId)?.title;
  const isOpen = question.status === 'pending';
  const isGrave = isDangerous(question);
  return (
    <Link
      href={`/questions/${keyOf(question)}${query}`}
      className={classes(css.row, isAt && css.at, isGrave && css.grave, !isOpen && css.over)}
      aria-current={isAt ? 'true' : undefined}
    >
      <span className={css.line}>
        <span className={css.agent}>{lineageText(question.origin)}</span>
        <Ago at={question.askedAt} />
      </span>
      <span className={css.headline} dir="auto">
        {headline(question)}
      </span>
      <span className={css.about} dir="auto">
        {title ?? question.conversationId}
      </span>
      <span className={css.pills}>
        {isOpen ? (
          <Deadline question={question} />
        ) : (
          <Pill tone={TONE[question.status]}>{outcomeText(question)}</Pill>
        )}
        {question.confirms && (
          <Pill tone={isGrave ? 'danger' : 'accent'}>
            <ShieldAlert size={12} aria-hidden="true" /> Confirm
          </Pill>
        )}
        {question.fields.length > 1 && <Pill>{question.fields.length} fields</Pill>}
      </span>
    </Link>
  );
});
