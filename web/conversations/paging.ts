/** Pages in a row that may hold nothing before somebody is asked whether to go on. */
const PATIENCE = 5;

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** A search looks through one page after the other: it goes on by itself where the last few held nothing. */
export function goesOn(pages: readonly Page<unknown>[]): boolean {
  const last = pages.at(-1);
  if (!last || last.nextCursor === null) return false;
  const full = pages.findLastIndex(({ items }) => items.length > 0);
  const empty = pages.length - 1 - full;
  return empty % PATIENCE !== 0;
}

/** Everything on these pages, each once: what changes while one reads on may turn up on two of them. */
export function itemsOf<Item extends { id: string }>(pages: readonly Page<Item>[]): Item[] {
  const known = new Map<string, Item>();
  for (const item of pages.flatMap(({ items }) => items)) if (!known.has(item.id)) known.set(item.id, item);
  return [...known.values()];
}
