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
  at: QuestionKey;
  /** Where the list has it; a link may lead to one that is settled or another's. */
  question: Question | undefined;
  query: string;
  onSettled: (question: Question) => void;
}

const POLL_MS = 2_000;

export function QuestionDetail({ at, question, query, onSettled }: Props) {
  const [conversation = '', id = ''] = at.split('/');
  const known = useConversation(conversation);
  const read = useQuery({
    queryKey: ['question', at],
    queryFn: ({ signal }) => apiClient.question(conversation, id, { signal }),
    // The inbox tells too, in its own time; of the one that somebody is about to answer one wants to know at once.
    refetchInterval: ({ state }) => (state.data && state.data.status !== 'pending' ? false : POLL_MS),
  });
  useEffect(() => {
    if (read.data && read.data.status !== 'pending') markQuestionResolved(read.data);
  }, [read.data]);
  // Refused now is refused, whatever was read before.
  const shown = question ?? (read.isError ? undefined : read.data);
  return (
    <div className={css.detail}>
      <h1 className={joinClassNames('unseen', css.alone)}>Question</h1>
      <header className={css.bar}>
        <Link href={`/${query}`} className={css.back}>
          <ArrowLeft size={18} aria-hidden="true" /> Inbox
        </Link>
        <Link href={`/conversations/${conversation}`} className={css.about} dir="auto">
          {known?.title || conversation}
        </Link>
        <Link href={`/conversations/${conversation}`} className={buttonClassName('quiet')}>
          <MessagesSquare size={16} aria-hidden="true" />
          <span className={css.word}>Open the conversation</span>
        </Link>
        {known && <TemporalLink links={known.links} wordClass={css.word} />}
      </header>
      {shown && (
        <div className={css.card}>
          <QuestionCard question={shown} onSettled={onSettled} />
        </div>
      )}
      {!shown && read.isError && (
        <ErrorPanel title="This question cannot be shown" onRetry={() => void read.refetch()}>
          {read.error.message}
        </ErrorPanel>
      )}
    </div>
  );
}
