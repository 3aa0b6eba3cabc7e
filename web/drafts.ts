import { useCallback, useState } from 'react';
import { readStored, store, storedNames } from './stored';

const DRAFT = 'draft.';
const MONTH_MS = 30 * 86_400_000;

interface Kept<T> {
  at: number;
  value: T;
}

/** What somebody has typed and not sent, kept over reloads until it is sent or a month old. */
export function useDraft<T>(name: string, initial: T): [T, (value: T) => void, () => void] {
  const key = DRAFT + name;
  const [draft, setDraft] = useState<{ key: string; value: T }>(() => ({
    key,
    value: draftOf(key, initial),
  }));
  // Another question in the same place has a draft of its own.
  const value = draft.key === key ? draft.value : draftOf(key, initial);
  const write = useCallback(
    (next: T) => {
      setDraft({ key, value: next });
      store(key, { at: Date.now(), value: next } satisfies Kept<T>);
    },
    [key],
  );
  const forget = useCallback(() => store(key, undefined), [key]);
  return [value, write, forget];
}

function draftOf<T>(key: string, initial: T): T {
  return readStored<Kept<T>>(key)?.value ?? initial;
}

export function forgetDrafts(): void {
  for (const name of storedNames(DRAFT)) store(name, undefined);
}

export function forgetOldDrafts(now: number): void {
  for (const name of storedNames(DRAFT))
    if (!(now - (readStored<Kept<unknown>>(name)?.at ?? 0) < MONTH_MS)) store(name, undefined);
}
