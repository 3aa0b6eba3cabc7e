import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { addChannelLabels } from '#presentation/labels';
import { apiClient } from './client';

const AGENTS_STALE_MS = 60_000;

/** Loads the agents. They change only when Parley restarts. */
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

/** Loads the conversation of a question, for its title. Read from the workflow's memo, without a worker. */
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

/** A stopped worker is still counted for some minutes, so polling more often would show nothing sooner. */
const STATUS_POLL_MS = 30_000;

/** Loads the status, and with it how channels are called. The shell loads it once for all pages. */
export const statusQuery = {
  queryKey: ['status'],
  async queryFn({ signal }: { signal: AbortSignal }) {
    const status = await apiClient.status({ signal });
    addChannelLabels(status.channelLabels);
    return status;
  },
};

/** Returns whether no worker is running. False while unknown. */
export function useHasNoWorker(): boolean {
  const { data } = useQuery({ ...statusQuery, refetchInterval: STATUS_POLL_MS });
  return data?.workers === 0;
}
