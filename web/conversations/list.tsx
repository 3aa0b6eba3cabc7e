import { useQueryClient } from '@tanstack/react-query';
import { classes } from '../design/classes';
import { Trouble } from '../design/trouble';
import type { Filters } from './filters';
import css from './list.module.css';
import { More } from './more';
import { Nothing } from './nothing';
import { ConversationRow } from './row';
import { CONVERSATIONS, type useConversations } from './use-conversations';

interface Props {
  found: ReturnType<typeof useConversations>;
  filters: Filters;
}

/** The conversations found so far, whatever state the search for them is in. */
export function ConversationList({ found, filters }: Props) {
  const { items, error, isPlaceholderData, isGoingOn, hasNextPage } = found;
  const queries = useQueryClient();
  if (!items) return error ? <Unread found={found} /> : <Loading />;
  const isDone = !isGoingOn && !isPlaceholderData;
  return (
    <>
      <p className="unseen" role="status">
        {isDone && `${items.length} conversations shown`}
      </p>
      {error && <Unread found={found} />}
      {items.length > 0 && (
        <ul
          className={classes(css.list, isPlaceholderData && css.old)}
          aria-label="Conversations"
          aria-busy={isPlaceholderData}
        >
          {items.map((conversation) => (
            <li key={conversation.id} className={css.item}>
              <ConversationRow
                conversation={conversation}
                onCancelled={() => void queries.invalidateQueries({ queryKey: CONVERSATIONS })}
              />
            </li>
          ))}
        </ul>
      )}
      {items.length === 0 && isDone && <Nothing filters={filters} hasMore={hasNextPage} />}
      <More found={found} isSearch={filters.search !== ''} />
    </>
  );
}

function Unread({ found: { error, refetch } }: Pick<Props, 'found'>) {
  return (
    <Trouble title="The conversations cannot be read just now" onRetry={() => void refetch()}>
      <p>{error?.message}</p>
    </Trouble>
  );
}

const ROWS = ['first', 'second', 'third', 'fourth', 'fifth'];

function Loading() {
  return (
    <div className={css.loading}>
      <p className="unseen" role="status">
        Loading the conversations …
      </p>
      <div className={css.list} aria-hidden="true">
        {ROWS.map((row) => (
          <div key={row} className={css.blank}>
            <span />
            <span />
          </div>
        ))}
      </div>
    </div>
  );
}
