import type { Entry } from '#contract/entry';
import type { Kept } from '#core/old-entries';
import { entriesName } from './names';
import type { Store } from './store';
import { getText, putText } from './texts';

export async function keepPiece(
  store: Store,
  conversationId: string,
  name: string,
  entries: Entry[],
): Promise<void> {
  await putText(store, entriesName(conversationId, name), JSON.stringify(entries));
}

/** One after the other: a long conversation has hundreds. One that is no longer there is missing, and said so. */
export async function readPieces(store: Store, conversationId: string, names: string[]): Promise<Kept> {
  const entries: Entry[] = [];
  let isWhole = true;
  for (const name of names) {
    const piece = await getText(store, entriesName(conversationId, name));
    if (piece === undefined) isWhole = false;
    else entries.push(...(JSON.parse(piece) as Entry[]));
  }
  return { entries, isWhole };
}
