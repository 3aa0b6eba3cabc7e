import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { keyOf } from '#core/question-key';
import { useInbox } from '../live/inbox';
import { parley } from '../parley';
import { isFinished } from './story';

const NONE: Question[] = [];

/** What the agents that work for this one ask. Answered ones stay while one looks on. */
export function useSubQuestions(conversation: Conversation | undefined): Question[] {
  const waiting = useWaiting(conversation);
  const [shown, setShown] = useState<Question[]>(NONE);
  useEffect(() => {
    setShown((last) => {
      const known = new Set(last.map(keyOf));
      const news = waiting.filter((question) => !known.has(keyOf(question)));
      return news.length > 0 ? [...last, ...news] : last;
    });
  }, [waiting]);
  return shown;
}

/** Asked for only when the inbox has some that might be among them: a question does not say whom it is for in the end. */
function useWaiting(conversation: Conversation | undefined): Question[] {
  const { id = '', agent = '' } = conversation ?? {};
  const candidates = useInbox(({ questions = NONE }) =>
    questions
      .filter(({ conversationId, origin }) => conversationId !== id && origin.slice(0, -1).includes(agent))
      .map(keyOf)
      .join(' '),
  );
  const { data } = useQuery({
    queryKey: ['sub-questions', id, candidates],
    queryFn: ({ signal }) => parley.inbox({ conversation: id, limit: 100, signal }),
    enabled: candidates !== '' && conversation !== undefined && !isFinished(conversation),
    select: ({ items }) => items.filter(({ conversationId }) => conversationId !== id),
  });
  return data ?? NONE;
}
