import { useCallback, useState } from 'react';
import { personNow, useName } from './session/session';
import { readStored, store, storedNames } from './stored';

const DRAFT = 'draft.';
const MONTH_MS = 30 * 86_400_000;

interface Kept<T> {
  at: number;
  value: T;
}

/**
 * What was typed in this tab, and nothing once it was sent. What is stored is the same for all tabs: another that sends
 * its own forgets it, and one whose own was not sent puts it there.
 */
const typedHere = new Map<string, unknown>();

/** What somebody has typed and not sent, kept over reloads until it is sent or a month old. */
export function useDraft<T>(name: string, initial: T): [T, (value: T) => void, () => void] {
  const key = keyFor(useName(), name);
  const [draft, setDraft] = useState<{ key: string; value: T }>(() => ({
    key,
    value: draftOf(key, initial),
  }));
  // Another question in the same place has a draft of its own.
  const value = draft.key === key ? draft.value : draftOf(key, initial);
  const write = useCallback(
    (next: T) => {
      setDraft({ key, value: next });
      keep(key, next);
    },
    [key],
  );
  const forget = useCallback(() => dropOwn(key), [key]);
  return [value, write, forget];
}

/** Each person's are their own. */
function keyFor(person: string | null, name: string): string {
  return `${DRAFT}${person ?? ''}.${name}`;
}

function draftOf<T>(key: string, initial: T): T {
  return readStored<Kept<T>>(key)?.value ?? initial;
}

function keep<T>(key: string, value: T): void {
  typedHere.set(key, value);
  store(key, { at: Date.now(), value } satisfies Kept<T>);
}

/** What another tab has put there since is not ours to drop. */
function dropOwn(key: string): void {
  const stored = readStored<Kept<unknown>>(key)?.value;
  if (JSON.stringify(stored) === JSON.stringify(typedHere.get(key))) store(key, undefined);
  typedHere.set(key, undefined);
}

function drop(key: string): void {
  typedHere.delete(key);
  store(key, undefined);
  store(key, undefined, 'session');
}

/** What is left of it when it can no longer be sent. */
export function leftDraft<T>(name: string): T | undefined {
  const key = keyFor(personNow(), name);
  // What is stored for all may be another tab's, which this one did not send.
  if (typedHere.has(key)) return typedHere.get(key) as T | undefined;
  return (readStored<Kept<T>>(key, 'session') ?? readStored<Kept<T>>(key))?.value;
}

/**
 * Keeps what was not sent over reloads, whatever other tabs do. For this tab alone too: one that sends its own at the same
 * moment may not see yet what is stored for all, and drop it.
 */
export function keepDraft<T>(name: string, value: T): void {
  const key = keyFor(personNow(), name);
  keep(key, value);
  store(key, { at: Date.now(), value } satisfies Kept<T>, 'session');
}

export function forgetDraft(name: string): void {
  drop(keyFor(personNow(), name));
}

export function forgetDrafts(): void {
  forgetWhere(() => true);
}

/** One of this tab alone goes with it. */
export function forgetOldDrafts(now: number): void {
  for (const name of storedNames(DRAFT))
    if (!(now - (readStored<Kept<unknown>>(name)?.at ?? 0) < MONTH_MS)) store(name, undefined);
}

/** Another person is at this screen now: what others typed is none of their business. */
export function forgetDraftsOfOthers(person: string | null): void {
  forgetWhere((name) => !name.startsWith(keyFor(person, '')));
}

function forgetWhere(isUnwanted: (name: string) => boolean): void {
  typedHere.clear();
  for (const place of ['local', 'session'] as const)
    for (const name of storedNames(DRAFT, place)) if (isUnwanted(name)) store(name, undefined, place);
}
