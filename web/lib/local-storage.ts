/** What this browser keeps for its person. Where storage is full or switched off the app works, and forgets. */
const PREFIX = 'parley.';

/** For all tabs, or for this one alone. Tabs may see what another has stored a moment later. */
type StorageArea = 'local' | 'session';
const storageFor = (place: StorageArea) => (place === 'local' ? localStorage : sessionStorage);

export function readStoredValue<T>(name: string, place: StorageArea = 'local'): T | undefined {
  try {
    return JSON.parse(storageFor(place).getItem(PREFIX + name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeStoredValue(name: string, value: unknown, place: StorageArea = 'local'): void {
  try {
    if (value === undefined) storageFor(place).removeItem(PREFIX + name);
    else storageFor(place).setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Nothing more can be done here than to go on without.
  }
}

/** The names that begin so. */
export function listStoredNames(beginning: string, place: StorageArea = 'local'): string[] {
  try {
    return Object.keys(storageFor(place))
      .filter((key) => key.startsWith(PREFIX + beginning))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}
