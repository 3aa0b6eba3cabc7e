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
  found: ReturnType<typeof useConversationList>;
  filters: ConversationFilters;
}

/** The conversations found so far, whatever state the search for them is in. */
export function ConversationList({ found, filters }: ConversationListProps) {
  const { items, error, isPlaceholderData, isGoingOn, hasNextPage } = found;
  const queries = useQueryClient();
  if (!items) return error ? <ListLoadError found={found} /> : <ListLoading />;
  const isDone = !isGoingOn && !isPlaceholderData;
  return (
    <>
      <p className="unseen" role="status">
        {isDone && `${items.length} conversations shown`}
      </p>
      {error && <ListLoadError found={found} />}
      {items.length > 0 && (
        <ul
          className={joinClassNames(css.list, isPlaceholderData && css.old)}
          aria-label="Conversations"
          aria-busy={isPlaceholderData}
        >
          {items.map((conversation) => (
            <li key={conversation.id} className={css.item}>
              <ConversationRow
                conversation={conversation}
                onCancelled={() => void queries.invalidateQueries({ queryKey: CONVERSATIONS_QUERY_KEY })}
              />
            </li>
          ))}
        </ul>
      )}
      {items.length === 0 && isDone && <NoConversations filters={filters} hasMore={hasNextPage} />}
      <LoadMore found={found} isSearch={filters.search !== ''} />
    </>
  );
}

function ListLoadError({ found: { error, refetch } }: Pick<ConversationListProps, 'found'>) {
  return (
    <ErrorPanel title="The conversations cannot be read just now" onRetry={() => void refetch()}>
      <p>{error?.message}</p>
    </ErrorPanel>
  );
}

const PLACEHOLDER_ROWS = ['first', 'second', 'third', 'fourth', 'fifth'];

function ListLoading() {
  return (
    <div className={css.loading}>
      <p className="unseen" role="status">
        Loading the conversations …
      </p>
      <div className={css.list} aria-hidden="true">
        {PLACEHOLDER_ROWS.map((row) => (
          <div key={row} className={css.blank}>
            <span />
            <span />
          </div>
        ))}
      </div>
    </div>
  );
}

interface LoadMoreProps {
  found: ReturnType<typeof useConversationList>;
  isSearch: boolean;
}

/** What comes after those shown, if there may be anything. */
function LoadMore({ found, isSearch }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, isPlaceholderData, isGoingOn, fetchNextPage } = found;
  if (!hasNextPage || isPlaceholderData) return null;
  const isBusy = isFetchingNextPage || isGoingOn;
  return (
    <div className={css.more}>
      {isSearch && !isBusy && <p>Older conversations have not been searched yet.</p>}
      <Button isBusy={isBusy} onClick={() => void fetchNextPage()}>
        {isSearch ? (isBusy ? 'Searching …' : 'Search further') : 'Load more'}
      </Button>
    </div>
  );
}

/** Why the list is empty, and what to do about it. `hasMore`: there is more to search. */
function NoConversations({ filters, hasMore }: { filters: ConversationFilters; hasMore: boolean }) {
  if (formatConversationsPath(filters) === formatConversationsPath(NO_CONVERSATION_FILTERS))
    return <NoConversationsYet />;
  return (
    <EmptyState art={<SearchX size={34} />} title={emptyListTitle(filters, hasMore)}>
      <p>{hasMore ? 'It may be among the older ones.' : 'Others may fit if you ask for less.'}</p>
      <Link href={formatConversationsPath(NO_CONVERSATION_FILTERS)} className={buttonClassName()}>
        Clear filters
      </Link>
    </EmptyState>
  );
}

function emptyListTitle({ status, search }: ConversationFilters, hasMore: boolean): string {
  if (search) return hasMore ? 'Nothing found so far' : 'Nothing found';
  return status ? `No ${STATUS_LABELS[status].toLowerCase()} conversations` : 'No conversations';
}

function NoConversationsYet() {
  const mayStart = useHasScope('conversations:write');
  return (
    <EmptyState art={<MessagesSquare size={34} />} title="No conversations yet">
      <p>Whatever agents do, and whatever they ask, will be listed here.</p>
      {mayStart && (
        <Link href="/new" className={buttonClassName('primary')}>
          Start one
        </Link>
      )}
    </EmptyState>
  );
}
