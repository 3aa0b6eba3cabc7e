import { Link } from 'wouter';
import type { Question } from '#contract/question';
import { QuestionCard } from '../../question/question-card';
import css from './sub-agent-question.module.css';

/** A question of a sub-agent, which can be answered here too. */
export function SubAgentQuestion({ question }: { question: Question }) {
  return (
    <li>
      <section className={css.question} aria-label={`Question from ${question.agent}`}>
        <p className={css.note}>
          From sub-agent <Link href={`/conversations/${question.conversationId}`}>{question.agent}</Link>
        </p>
        <QuestionCard question={question} />
      </section>
    </li>
  );
}
