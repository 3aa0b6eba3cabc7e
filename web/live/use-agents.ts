import { useQuery } from '@tanstack/react-query';
import { parley } from '../parley';

const FRESH_MS = 60_000;

/** Which agents there are. They change when Parley is started anew. */
export function useAgents() {
  return useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => parley.agents({ signal }),
    select: ({ items }) => items,
    staleTime: FRESH_MS,
  });
}
