import { useQueryClient } from '@tanstack/react-query';
import { MessagesSquare, SearchX } from 'lucide-react';
import { Link } from 'wouter';
import { STATUS_LABELS } from '#presentation/labels';
import { joinClassNames } from '../../lib/class-names';
import { useHasScope } from '../../session/session';
import { Button, buttonClassName } from '../../ui/button';
import { EmptyState } from '../../ui/empty-state';
import { ErrorPanel } from '../../ui/errors';
import css from './conversation-list.module.css';
import { ConversationRow } from './conversation-row';
import { type ConversationFilters, formatConversationsPath, NO_CONVERSATION_FILTERS } from './conversation-search';
import { CONVERSATIONS_QUERY_KEY, type useConversationList } from './use-conversation-list';

interface ConversationListProps {
  results: ReturnType<typeof useConversationList>;
  filters: ConversationFilters;
}

/** Shows the results so far, in any state of the query. */
export function ConversationList({ results, filters }: ConversationListProps) {
  const { items, error, isPlaceholderData, isSearchingFurther, hasNextPage } = results;
  const queryClient = useQueryClient();
  if (!items) return error ? <ListLoadError results={results} /> : <ListLoading />;
  const isDone = !isSearchingFurther && !isPlaceholderData;
  return (
    <>
      <p className="visually-hidden" role="status">
        {isDone && `${items.length} conversations shown`}
      </p>
      {error && <ListLoadError results={results} />}
      {items.length > 0 && (
        <ul
          className={joinClassNames(css.list, isPlaceholderData && css.stale)}
          aria-label="Conversations"
          aria-busy={isPlaceholderData}
        >
          {items.map((conversation) => (
            <li key={conversation.id} className={css.item}>
              <ConversationRow
                conversation={conversation}
                onCancelled={() => void queryClient.invalidateQueries({ queryKey: CONVERSATIONS_QUERY_KEY })}
              />
            </li>
          ))}
        </ul>
      )}
      {items.length === 0 && isDone && <NoConversations filters={filters} hasMore={hasNextPage} />}
      <LoadMore results={results} isSearch={filters.search !== ''} />
    </>
  );
}

function ListLoadError({ results: { error, refetch } }: Pick<ConversationListProps, 'results'>) {
  return (
    <ErrorPanel title="Couldn't load conversations" onRetry={() => void refetch()}>
      <p>{error?.message}</p>
    </ErrorPanel>
  );
}

const PLACEHOLDER_ROWS = ['first', 'second', 'third', 'fourth', 'fifth'];

function ListLoading() {
  return (
    <div className={css.loading}>
      <p className="visually-hidden" role="status">
        Loading conversations…
      </p>
      <div className={css.list} aria-hidden="true">
        {PLACEHOLDER_ROWS.map((row) => (
          <div key={row} className={css.placeholder}>
            <span />
            <span />
          </div>
        ))}
      </div>
    </div>
  );
}

interface LoadMoreProps {
  results: ReturnType<typeof useConversationList>;
  isSearch: boolean;
}

/** Button for the next page, if there may be one. */
function LoadMore({ results, isSearch }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, isPlaceholderData, isSearchingFurther, fetchNextPage } = results;
  if (!hasNextPage || isPlaceholderData) return null;
  const isBusy = isFetchingNextPage || isSearchingFurther;
  return (
    <div className={css.more}>
      {isSearch && !isBusy && <p>Older conversations haven't been searched.</p>}
      <Button isBusy={isBusy} onClick={() => void fetchNextPage()}>
        {isSearch ? (isBusy ? 'Searching…' : 'Search older') : 'Load more'}
      </Button>
    </div>
  );
}

/** Why the list is empty, and what to do about it. `hasMore`: there is more to search. */
function NoConversations({ filters, hasMore }: { filters: ConversationFilters; hasMore: boolean }) {
  if (formatConversationsPath(filters) === formatConversationsPath(NO_CONVERSATION_FILTERS))
    return <NoConversationsYet />;
  return (
    <EmptyState icon={<SearchX size={34} />} title={emptyListTitle(filters, hasMore)}>
      <p>{hasMore ? "Older conversations haven't been searched." : 'Try fewer filters.'}</p>
      <Link href={formatConversationsPath(NO_CONVERSATION_FILTERS)} className={buttonClassName()}>
        Clear filters
      </Link>
    </EmptyState>
  );
}

function emptyListTitle({ status, search }: ConversationFilters, hasMore: boolean): string {
  if (search) return hasMore ? 'Nothing found yet' : 'No matching conversations';
  return status ? `No ${STATUS_LABELS[status].toLowerCase()} conversations` : 'No conversations';
}

function NoConversationsYet() {
  const canStart = useHasScope('conversations:write');
  return (
    <EmptyState icon={<MessagesSquare size={34} />} title="No conversations yet">
      <p>Everything your agents do will be listed here.</p>
      {canStart && (
        <Link href="/new" className={buttonClassName('primary')}>
          New conversation
        </Link>
      )}
    </EmptyState>
  );
}
