import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { parley } from '../parley';
import type { Filters } from './filters';
import { goesOn, itemsOf } from './paging';

const PAGE = 25;
const AGAIN_MS = 5_000;

export const CONVERSATIONS = ['conversations'];

/** The conversations that match, looked up again and again while somebody looks on. */
export function useConversations({ status, agent, search }: Filters) {
  const query = useInfiniteQuery({
    queryKey: [...CONVERSATIONS, 'list', { status, agent, search }],
    queryFn: ({ pageParam, signal }) =>
      parley.list({
        status,
        agent,
        signal,
        limit: PAGE,
        cursor: pageParam,
        search: search || undefined,
        // Of those that a search finds nobody knows the number before it has looked at all of them.
        counts: pageParam === undefined && !search ? true : undefined,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    // All pages are looked up anew: the more there are the less often.
    refetchInterval: ({ state }) => AGAIN_MS * Math.max(1, state.data?.pages.length ?? 1),
  });

  const { data, isPlaceholderData, isFetching, isError, fetchNextPage } = query;
  const pages = data?.pages ?? [];
  const isGoingOn = search !== '' && !isPlaceholderData && !isError && goesOn(pages);
  useEffect(() => {
    if (isGoingOn && !isFetching) void fetchNextPage();
  }, [isGoingOn, isFetching, fetchNextPage]);

  const items = useMemo(() => data && itemsOf(data.pages), [data]);
  return { ...query, items, counts: pages[0]?.counts, isGoingOn };
}
