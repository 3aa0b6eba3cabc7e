import type { Context } from './context';

/** Nobody acts on anything just now. Where it cannot be told, nothing is said: what was asked for is shown all the same. */
export async function hasNoWorker(
  { parley }: Pick<Context, 'parley'>,
  signal?: AbortSignal,
): Promise<boolean> {
  const status = await parley.status({ signal }).catch(() => undefined);
  return status?.workers === 0;
}
