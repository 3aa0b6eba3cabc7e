import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { parley } from '../parley';

/** Rows that only pass by while somebody scrolls are not asked about. */
const REST_MS = 150;

/** What a question belongs to: its title says what it is about. It is read from the memo, with no worker. */
export function useConversation(id: string) {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) => parley.get(id, { signal }),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
