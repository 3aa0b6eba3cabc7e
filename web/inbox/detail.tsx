import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ExternalLink } from 'lucide-react';
import { Link } from 'wouter';
import type { Question } from '../../src/contract/question';
import { buttonClass } from '../design/button';
import { Trouble } from '../design/trouble';
import type { QuestionKey } from '../live/questions';
import { parley } from '../parley';
import { QuestionCard } from '../question/card';
import css from './detail.module.css';

interface Props {
  at: QuestionKey;
  /** Where the list has it; a link may lead to one that is settled or another's. */
  question: Question | undefined;
  query: string;
  onSettled: (question: Question) => void;
}

export function Detail({ at, question, query, onSettled }: Props) {
  const [conversation = '', id = ''] = at.split('/');
  const read = useQuery({
    queryKey: ['question', at],
    queryFn: ({ signal }) => parley.question(conversation, id, { signal }),
    enabled: !question,
  });
  // Refused now is refused, whatever was read before.
  const shown = question ?? (read.isError ? undefined : read.data);
  return (
    <div className={css.detail}>
      <header className={css.bar}>
        <Link href={`/${query}`} className={css.back}>
          <ArrowLeft size={18} aria-hidden="true" /> Inbox
        </Link>
        <Link href={`/conversations/${conversation}`} className={buttonClass('quiet')}>
          Open the conversation <ExternalLink size={15} aria-hidden="true" />
        </Link>
      </header>
      {shown && <QuestionCard question={shown} onSettled={onSettled} />}
      {!shown && read.isError && (
        <Trouble title="This question cannot be shown" onRetry={() => void read.refetch()}>
          {read.error.message}
        </Trouble>
      )}
    </div>
  );
}
