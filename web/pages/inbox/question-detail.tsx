import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, MessagesSquare } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { Question } from '#contract/question';
import type { QuestionKey } from '#presentation/question-list';
import { apiClient } from '../../api/client';
import { markQuestionResolved } from '../../api/live-questions';
import { useConversation } from '../../api/queries';
import { TemporalLink } from '../../conversation/conversation-controls';
import { joinClassNames } from '../../lib/class-names';
import { QuestionCard } from '../../question/question-card';
import { buttonClassName } from '../../ui/button';
import { ErrorPanel } from '../../ui/errors';
import css from './question-detail.module.css';

interface Props {
  questionKey: QuestionKey;
  /** Undefined if the list does not have it: a link may lead to a question that is resolved or not in the list. */
  question: Question | undefined;
  searchString: string;
  onSubmitted: (question: Question) => void;
}

const POLL_MS = 2_000;

export function QuestionDetail({ questionKey, question, searchString, onSubmitted }: Props) {
  const [conversationId = '', questionId = ''] = questionKey.split('/');
  const conversation = useConversation(conversationId);
  const questionQuery = useQuery({
    queryKey: ['question', questionKey],
    queryFn: ({ signal }) => apiClient.question(conversationId, questionId, { signal }),
    // Polled in addition to the inbox stream, because the open question should update at once.
    refetchInterval: ({ state }) => (state.data && state.data.status !== 'pending' ? false : POLL_MS),
  });
  useEffect(() => {
    if (questionQuery.data && questionQuery.data.status !== 'pending') markQuestionResolved(questionQuery.data);
  }, [questionQuery.data]);
  // After an error, a question that was read before is hidden.
  const shown = question ?? (questionQuery.isError ? undefined : questionQuery.data);
  return (
    <div className={css.detail}>
      <h1 className={joinClassNames('visually-hidden', css.pageTitle)}>Question</h1>
      <header className={css.bar}>
        <Link href={`/${searchString}`} className={css.back}>
          <ArrowLeft size={18} aria-hidden="true" /> Inbox
        </Link>
        <Link href={`/conversations/${conversationId}`} className={css.conversationLink} dir="auto">
          {conversation?.title || conversationId}
        </Link>
        <Link href={`/conversations/${conversationId}`} className={buttonClassName('quiet')}>
          <MessagesSquare size={16} aria-hidden="true" />
          <span className={css.label}>Open conversation</span>
        </Link>
        {conversation && <TemporalLink links={conversation.links} labelClassName={css.label} />}
      </header>
      {shown && (
        <div className={css.card}>
          <QuestionCard question={shown} onSubmitted={onSubmitted} />
        </div>
      )}
      {!shown && questionQuery.isError && (
        <ErrorPanel title="Couldn't load question" onRetry={() => void questionQuery.refetch()}>
          {questionQuery.error.message}
        </ErrorPanel>
      )}
    </div>
  );
}
