import { Button } from '../design/button';
import css from './list.module.css';
import type { useConversations } from './use-conversations';

interface Props {
  found: ReturnType<typeof useConversations>;
  isSearch: boolean;
}

/** What comes after those shown, if there may be anything. */
export function More({ found, isSearch }: Props) {
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
