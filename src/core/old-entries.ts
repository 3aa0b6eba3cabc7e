import type { Entry, Timeline } from '#contract/entry';
import { jsonBytes } from './json';
import type { State } from './state';

/** The newest entries are at hand in the state; so much of them at most once any had to go. */
export const ENTRIES_BYTES = 1_000_000;
/** What is kept elsewhere goes there in pieces that fit well into one message of Temporal's. */
const PIECE_BYTES = 1_000_000;

/** Entries that left the state for the storage: under which name, and the highest number among them. */
export interface Piece {
  name: string;
  last: number;
}

/** The oldest that have to go to bring the state under the bound. An open question stays, whatever its age. */
export function oldEntries(state: State, most: number): Entry[] {
  const bytes = jsonBytes(state);
  if (bytes <= most) return [];
  const over = Math.max(bytes - most, jsonBytes(state.entries) - ENTRIES_BYTES);
  let freed = 0;
  return state.entries.filter((entry) => {
    if (isOpen(entry) || freed >= over) return false;
    freed += jsonBytes(entry) + 1;
    return true;
  });
}

/** Of those, as many as go at once. */
export function firstPiece(old: Entry[]): Entry[] {
  let bytes = 0;
  return old.filter((entry, at) => {
    bytes += jsonBytes(entry) + 1;
    return at === 0 || bytes <= PIECE_BYTES;
  });
}

/** What goes into a piece: all in that stretch that will not change any more. */
export function entriesBetween(state: State, from: number, to: number): Entry[] {
  return state.entries.filter((entry) => entry.id >= from && entry.id <= to && !isOpen(entry));
}

function isOpen(entry: Entry): boolean {
  return entry.kind === 'question' && entry.settledId === null;
}

/** These are kept elsewhere now. What was added to one of them meanwhile stays here, and goes with a later piece. */
export function leaveOut(state: State, name: string, kept: Entry[]): void {
  const byId = new Map(kept.map((entry) => [entry.id, entry]));
  state.entries = state.entries.filter((entry) => !isSame(entry, byId.get(entry.id)));
  const last = Math.max(...kept.map(lastNumber));
  state.kept = [...(state.kept ?? []), { name, last }];
  state.weight = jsonBytes(state);
}

function isSame(entry: Entry, kept: Entry | undefined): boolean {
  return (
    entry === kept ||
    (entry.kind === 'question' && kept?.kind === 'question' && entry.question === kept.question)
  );
}

function lastNumber(entry: Entry): number {
  return entry.kind === 'question' ? Math.max(entry.id, entry.settledId ?? 0) : entry.id;
}

/** What could be read of entries that left the state. */
export interface Kept {
  entries: Entry[];
  isWhole: boolean;
}

/** With what is kept elsewhere, in order, each once: what the state says of an entry stands. It says so where some is missing. */
export function withEntries<T extends Timeline>(timeline: T, { entries, isWhole }: Kept): T {
  const byId = new Map([...entries, ...timeline.items].map((entry) => [entry.id, entry]));
  const items = [...byId.values()].sort((a, b) => a.id - b.id);
  return { ...timeline, items, ...(isWhole ? {} : { truncated: true }) };
}
