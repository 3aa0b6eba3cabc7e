import { useCallback, useState } from 'react';
import { listStoredNames, readStoredValue, writeStoredValue } from '../lib/local-storage';
import { getPersonName, usePersonName } from './session';

const DRAFT_PREFIX = 'draft.';
const MAX_DRAFT_AGE_MS = 30 * 86_400_000;

interface StoredDraft<T> {
  at: number;
  value: T;
}

/**
 * What was typed in this tab, and nothing once it was sent. What is stored is the same for all tabs: another that sends
 * its own forgets it, and one whose own was not sent puts it there.
 */
const typedInThisTab = new Map<string, unknown>();

/** What somebody has typed and not sent, kept over reloads until it is sent or a month old. */
export function useDraft<T>(name: string, initial: T): [T, (value: T) => void, () => void] {
  const key = draftKey(usePersonName(), name);
  const [draft, setDraft] = useState<{ key: string; value: T }>(() => ({
    key,
    value: readDraft(key, initial),
  }));
  // Another question in the same place has a draft of its own.
  const value = draft.key === key ? draft.value : readDraft(key, initial);
  const write = useCallback(
    (next: T) => {
      setDraft({ key, value: next });
      saveDraft(key, next);
    },
    [key],
  );
  const forget = useCallback(() => deleteDraftIfUnchanged(key), [key]);
  return [value, write, forget];
}

/** Each person's are their own. */
function draftKey(person: string | null, name: string): string {
  return `${DRAFT_PREFIX}${person ?? ''}.${name}`;
}

function readDraft<T>(key: string, initial: T): T {
  return readStoredValue<StoredDraft<T>>(key)?.value ?? initial;
}

function saveDraft<T>(key: string, value: T): void {
  typedInThisTab.set(key, value);
  writeStoredValue(key, { at: Date.now(), value } satisfies StoredDraft<T>);
}

/** What another tab has put there since is not ours to drop. */
function deleteDraftIfUnchanged(key: string): void {
  const stored = readStoredValue<StoredDraft<unknown>>(key)?.value;
  if (JSON.stringify(stored) === JSON.stringify(typedInThisTab.get(key))) writeStoredValue(key, undefined);
  typedInThisTab.set(key, undefined);
}

function deleteDraftByKey(key: string): void {
  typedInThisTab.delete(key);
  writeStoredValue(key, undefined);
  writeStoredValue(key, undefined, 'session');
}

/** What is left of it when it can no longer be sent. */
export function readUnsentDraft<T>(name: string): T | undefined {
  const key = draftKey(getPersonName(), name);
  // What is stored for all may be another tab's, which this one did not send.
  if (typedInThisTab.has(key)) return typedInThisTab.get(key) as T | undefined;
  return (readStoredValue<StoredDraft<T>>(key, 'session') ?? readStoredValue<StoredDraft<T>>(key))?.value;
}

/**
 * Keeps what was not sent over reloads, whatever other tabs do. For this tab alone too: one that sends its own at the same
 * moment may not see yet what is stored for all, and drop it.
 */
export function saveUnsentDraft<T>(name: string, value: T): void {
  const key = draftKey(getPersonName(), name);
  saveDraft(key, value);
  writeStoredValue(key, { at: Date.now(), value } satisfies StoredDraft<T>, 'session');
}

export function deleteDraft(name: string): void {
  deleteDraftByKey(draftKey(getPersonName(), name));
}

export function deleteAllDrafts(): void {
  deleteDraftsWhere(() => true);
}

/** One of this tab alone goes with it. */
export function deleteExpiredDrafts(now: number): void {
  for (const name of listStoredNames(DRAFT_PREFIX))
    if (!(now - (readStoredValue<StoredDraft<unknown>>(name)?.at ?? 0) < MAX_DRAFT_AGE_MS))
      writeStoredValue(name, undefined);
}

/** Another person is at this screen now: what others typed is none of their business. */
export function deleteDraftsExceptOf(person: string | null): void {
  deleteDraftsWhere((name) => !name.startsWith(draftKey(person, '')));
}

function deleteDraftsWhere(isUnwanted: (name: string) => boolean): void {
  typedInThisTab.clear();
  for (const place of ['local', 'session'] as const)
    for (const name of listStoredNames(DRAFT_PREFIX, place))
      if (isUnwanted(name)) writeStoredValue(name, undefined, place);
}
