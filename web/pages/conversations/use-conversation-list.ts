import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { apiClient } from '../../api/client';
import { type ConversationFilters, mergeSearchPages, shouldSearchFurther } from './conversation-search';

const PAGE_SIZE = 25;
const REFETCH_MS = 5_000;

export const CONVERSATIONS_QUERY_KEY = ['conversations'];

/** Conversations that match the filters, refetched at an interval. */
export function useConversationList({ status, agent, search }: ConversationFilters) {
  const query = useInfiniteQuery({
    queryKey: [...CONVERSATIONS_QUERY_KEY, 'list', { status, agent, search }],
    queryFn: ({ pageParam, signal }) =>
      apiClient.list({
        status,
        agent,
        signal,
        limit: PAGE_SIZE,
        cursor: pageParam,
        search: search || undefined,
        // A text search cannot be counted without reading every conversation.
        counts: pageParam === undefined && !search ? true : undefined,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    // A refetch loads all pages, so more pages mean a longer interval.
    refetchInterval: ({ state }) => REFETCH_MS * Math.max(1, state.data?.pages.length ?? 1),
  });

  const { data, isPlaceholderData, isFetching, isError, fetchNextPage } = query;
  const pages = data?.pages ?? [];
  const isSearchingFurther = search !== '' && !isPlaceholderData && !isError && shouldSearchFurther(pages);
  useEffect(() => {
    if (isSearchingFurther && !isFetching) void fetchNextPage();
  }, [isSearchingFurther, isFetching, fetchNextPage]);

  const items = useMemo(() => data && mergeSearchPages(data.pages), [data]);
  return { ...query, items, counts: pages[0]?.counts, isSearchingFurther };
}
