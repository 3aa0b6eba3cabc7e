import { Link } from 'wouter';
import type { Question } from '../../src/contract/question';
import { keyOf } from '../live/questions';
import { QuestionCard } from '../question/card';
import css from './sub-questions.module.css';

/** The questions of the agents that work for this one, to be answered here too. */
export function SubQuestions({ questions }: { questions: readonly Question[] }) {
  return questions.map((question) => (
    <section key={keyOf(question)} className={css.sub} aria-label={`Question of ${question.agent}`}>
      <p className={css.note}>
        From <Link href={`/conversations/${question.conversationId}`}>{question.agent}</Link>, who works for
        this conversation
      </p>
      <QuestionCard question={question} />
    </section>
  ));
}
