import { useCallback, useState } from 'react';
import { listStoredNames, readStoredValue, writeStoredValue } from '../lib/local-storage';
import { getPersonName, usePersonName } from './session';

const DRAFT_PREFIX = 'draft.';
const MAX_DRAFT_AGE_MS = 30 * 86_400_000;

interface StoredDraft<T> {
  savedAt: number;
  value: T;
}

/**
 * Drafts typed in this tab, `undefined` once sent. Stored drafts are shared by all tabs: another tab may remove one
 * when it sends its own, or store its unsent one.
 */
const typedInThisTab = new Map<string, unknown>();

/** An unsent draft that survives reloads until it is sent or a month old. Returns the value, update and discard. */
export function useDraft<T>(name: string, initial: T): [T, (value: T) => void, () => void] {
  const key = draftKey(usePersonName(), name);
  const [draft, setDraft] = useState<{ key: string; value: T }>(() => ({
    key,
    value: readDraft(key, initial),
  }));
  // Another question in the same component has its own draft.
  const value = draft.key === key ? draft.value : readDraft(key, initial);
  const update = useCallback(
    (next: T) => {
      setDraft({ key, value: next });
      saveDraft(key, next);
    },
    [key],
  );
  const discard = useCallback(() => deleteDraftIfUnchanged(key), [key]);
  return [value, update, discard];
}

/** Each person has their own drafts. */
function draftKey(person: string | null, name: string): string {
  return `${DRAFT_PREFIX}${person ?? ''}.${name}`;
}

function readDraft<T>(key: string, initial: T): T {
  return readStoredValue<StoredDraft<T>>(key)?.value ?? initial;
}

function saveDraft<T>(key: string, value: T): void {
  typedInThisTab.set(key, value);
  writeStoredValue(key, { savedAt: Date.now(), value } satisfies StoredDraft<T>);
}

/** Keeps a draft that another tab has stored since. */
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

/** The draft that remains when the question can no longer be answered. */
export function readUnsentDraft<T>(name: string): T | undefined {
  const key = draftKey(getPersonName(), name);
  // The shared draft may come from another tab.
  if (typedInThisTab.has(key)) return typedInThisTab.get(key) as T | undefined;
  return (readStoredValue<StoredDraft<T>>(key, 'session') ?? readStoredValue<StoredDraft<T>>(key))?.value;
}

/**
 * Keeps an unsent draft over reloads, whatever other tabs do. Also stores a copy private to this tab, because another
 * tab that sends at the same moment may delete the shared one.
 */
export function saveUnsentDraft<T>(name: string, value: T): void {
  const key = draftKey(getPersonName(), name);
  saveDraft(key, value);
  writeStoredValue(key, { savedAt: Date.now(), value } satisfies StoredDraft<T>, 'session');
}

export function deleteDraft(name: string): void {
  deleteDraftByKey(draftKey(getPersonName(), name));
}

export function deleteAllDrafts(): void {
  deleteDraftsWhere(() => true);
}

/** Deletes shared drafts older than a month. A tab's private drafts are deleted with the tab. */
export function deleteExpiredDrafts(now: number): void {
  for (const name of listStoredNames(DRAFT_PREFIX))
    if (!(now - (readStoredValue<StoredDraft<unknown>>(name)?.savedAt ?? 0) < MAX_DRAFT_AGE_MS))
      writeStoredValue(name, undefined);
}

/** Deletes other people's drafts when another person signs in. */
export function deleteDraftsExceptOf(person: string | null): void {
  deleteDraftsWhere((name) => !name.startsWith(draftKey(person, '')));
}

function deleteDraftsWhere(shouldDelete: (name: string) => boolean): void {
  typedInThisTab.clear();
  for (const area of ['local', 'session'] as const)
    for (const name of listStoredNames(DRAFT_PREFIX, area))
      if (shouldDelete(name)) writeStoredValue(name, undefined, area);
}
