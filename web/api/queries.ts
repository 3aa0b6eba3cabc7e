import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiClient } from './client';

const AGENTS_STALE_MS = 60_000;

/** Which agents there are. They change when Parley is started anew. */
export function useAgents() {
  return useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => apiClient.agents({ signal }),
    select: ({ items }) => items,
    staleTime: AGENTS_STALE_MS,
  });
}

/** Delay before a row requests its conversation, so that rows scrolled past request nothing. */
const SCROLL_DELAY_MS = 150;

/** What a question belongs to: its title says what it is about. It is read from the memo, with no worker. */
export function useConversation(id: string) {
  const [isEnabled, setEnabled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setEnabled(true), SCROLL_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) => apiClient.get(id, { signal }),
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

/** A worker that stopped counts for minutes more: to look often tells nothing sooner. */
const STATUS_POLL_MS = 30_000;

/** Nobody acts on anything just now. Not so while it cannot be told. */
export function useHasNoWorker(): boolean {
  const { data } = useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => apiClient.status({ signal }),
    refetchInterval: STATUS_POLL_MS,
  });
  return data?.workers === 0;
}
