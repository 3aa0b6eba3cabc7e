import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Conversation } from '../../src/contract/conversation';
import type { Question } from '../../src/contract/question';
import { useInbox } from '../live/inbox';
import { keyOf } from '../live/questions';
import { parley } from '../parley';
import { QuestionCard } from '../question/card';
import { isFinished } from './story';
import css from './sub-questions.module.css';

/** The questions of the agents that work for this one, to be answered here too. Answered ones stay while one looks on. */
export function SubQuestions({ conversation }: { conversation: Conversation }) {
  const waiting = useWaiting(conversation);
  const [shown, setShown] = useState<Question[]>([]);
  useEffect(() => {
    setShown((last) => {
      const known = new Set(last.map(keyOf));
      const news = waiting.filter((question) => !known.has(keyOf(question)));
      return news.length > 0 ? [...last, ...news] : last;
    });
  }, [waiting]);
  return shown.map((question) => (
    <section key={keyOf(question)} className={css.sub} aria-label={`Question of ${question.agent}`}>
      <p className={css.note}>
        From <Link href={`/conversations/${question.conversationId}`}>{question.agent}</Link>, who works for
        this conversation
      </p>
      <QuestionCard question={question} />
    </section>
  ));
}

const NONE: Question[] = [];

/** Asked for only when the inbox has some that might be among them: a question does not say whom it is for in the end. */
function useWaiting(conversation: Conversation): Question[] {
  const { id, agent } = conversation;
  const candidates = useInbox(({ questions = NONE }) =>
    questions
      .filter(({ conversationId, origin }) => conversationId !== id && origin.slice(0, -1).includes(agent))
      .map(keyOf)
      .join(' '),
  );
  const { data } = useQuery({
    queryKey: ['sub-questions', id, candidates],
    queryFn: ({ signal }) => parley.inbox({ conversation: id, limit: 100, signal }),
    enabled: candidates !== '' && !isFinished(conversation),
    select: ({ items }) => items.filter(({ conversationId }) => conversationId !== id),
  });
  return data ?? NONE;
}
