import type { Parley } from '#client/parley';
import type { Deliver } from './happening';

/** Hands on what happens in a conversation until it is over or the signal is aborted. */
export async function listenToConversation(
  parley: Parley,
  id: string,
  { after, signal }: { after: number | undefined; signal: AbortSignal },
  deliver: Deliver,
): Promise<void> {
  const onTrouble = (trouble: unknown) => deliver({ kind: 'line', isLost: trouble !== undefined });
  try {
    for await (const event of parley.events(id, { after, signal, onTrouble }))
      deliver({ kind: 'event', event });
  } catch (error) {
    deliver({ kind: 'failed', error });
  }
}
