/** What this browser keeps for its person. Where storage is full or switched off the app works, and forgets. */
const PREFIX = 'parley.';

/** For all tabs, or for this one alone. Tabs may see what another has stored a moment later. */
type Place = 'local' | 'session';
const at = (place: Place) => (place === 'local' ? localStorage : sessionStorage);

export function readStored<T>(name: string, place: Place = 'local'): T | undefined {
  try {
    return JSON.parse(at(place).getItem(PREFIX + name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export function store(name: string, value: unknown, place: Place = 'local'): void {
  try {
    if (value === undefined) at(place).removeItem(PREFIX + name);
    else at(place).setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Nothing more can be done here than to go on without.
  }
}

/** The names that begin so. */
export function storedNames(beginning: string, place: Place = 'local'): string[] {
  try {
    return Object.keys(at(place))
      .filter((key) => key.startsWith(PREFIX + beginning))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}
