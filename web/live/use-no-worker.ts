import { useQuery } from '@tanstack/react-query';
import { parley } from '../parley';

/** A worker that stopped counts for minutes more: to look often tells nothing sooner. */
const LOOK_MS = 30_000;

/** Nobody acts on anything just now. Not so while it cannot be told. */
export function useNoWorker(): boolean {
  const { data } = useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => parley.status({ signal }),
    refetchInterval: LOOK_MS,
  });
  return data?.workers === 0;
}
