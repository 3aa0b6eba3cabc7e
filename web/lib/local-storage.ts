/** Values stored in this browser. If storage is full or disabled, the app works without them. */
const PREFIX = 'parley.';

/** Shared by all tabs, or private to this one. A value from another tab may arrive with a delay. */
type StorageArea = 'local' | 'session';
const storageFor = (area: StorageArea) => (area === 'local' ? localStorage : sessionStorage);

export function readStoredValue<T>(name: string, area: StorageArea = 'local'): T | undefined {
  try {
    return JSON.parse(storageFor(area).getItem(PREFIX + name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeStoredValue(name: string, value: unknown, area: StorageArea = 'local'): void {
  try {
    if (value === undefined) storageFor(area).removeItem(PREFIX + name);
    else storageFor(area).setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage is full or disabled; the app continues without it.
  }
}

/** Lists stored names that start with `prefix`. */
export function listStoredNames(prefix: string, area: StorageArea = 'local'): string[] {
  try {
    return Object.keys(storageFor(area))
      .filter((key) => key.startsWith(PREFIX + prefix))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}
