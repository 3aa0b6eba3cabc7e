import type { Question } from '#contract/question';
import type { ConversationTimeline, TimelineEntry } from '#contract/timeline';
import type { ConversationState } from './conversation/state';
import { jsonBytes } from './json';

/** The newest entries are at hand in the state; so much of them at most once any had to go. */
export const MAX_RECENT_ENTRIES_BYTES = 1_000_000;
/** What is kept elsewhere goes there in pieces that fit well into one message of Temporal's. */
const MAX_CHUNK_BYTES = 1_000_000;

/** Entries that left the state for the storage: under which name, and the highest number among them. */
export interface ArchiveChunk {
  name: string;
  lastEntryId: number;
}

/** The oldest that have to go to bring the state under the bound. An open question stays, whatever its age. */
export function selectOldEntries(state: ConversationState, maxBytes: number): TimelineEntry[] {
  const bytes = jsonBytes(state);
  if (bytes <= maxBytes) return [];
  const over = Math.max(bytes - maxBytes, jsonBytes(state.entries) - MAX_RECENT_ENTRIES_BYTES);
  let freed = 0;
  return state.entries.filter((entry) => {
    if (isPendingQuestion(entry) || freed >= over) return false;
    freed += jsonBytes(entry) + 1;
    return true;
  });
}

/** Of those, as many as go at once. */
export function takeFirstChunk(old: TimelineEntry[]): TimelineEntry[] {
  let bytes = 0;
  return old.filter((entry, index) => {
    bytes += jsonBytes(entry) + 1;
    return index === 0 || bytes <= MAX_CHUNK_BYTES;
  });
}

/** What goes into a piece: all in that stretch that will not change any more. */
export function findArchivableEntries(state: ConversationState, from: number, to: number): TimelineEntry[] {
  return state.entries.filter((entry) => entry.id >= from && entry.id <= to && !isPendingQuestion(entry));
}

function isPendingQuestion(entry: TimelineEntry): boolean {
  return entry.kind === 'question' && entry.settledId === null;
}

/** These are kept elsewhere now. What was added to one of them meanwhile stays here, and goes with a later piece. */
export function removeArchivedEntries(state: ConversationState, name: string, archived: TimelineEntry[]): void {
  const byId = new Map(archived.map((entry) => [entry.id, entry]));
  state.entries = state.entries.filter((entry) => !isUnchanged(entry, byId.get(entry.id)));
  const lastEntryId = Math.max(...archived.map(lastNumberOf));
  state.archivedChunks = [...(state.archivedChunks ?? []), { name, lastEntryId }];
  state.sizeBytes = jsonBytes(state);
}

function isUnchanged(entry: TimelineEntry, archived: TimelineEntry | undefined): boolean {
  return (
    entry === archived ||
    (entry.kind === 'question' && archived?.kind === 'question' && entry.question === archived.question)
  );
}

function lastNumberOf(entry: TimelineEntry): number {
  return entry.kind === 'question' ? Math.max(entry.id, entry.settledId ?? 0) : entry.id;
}

/** What could be read of entries that left the state. */
export interface ArchivedEntries {
  entries: TimelineEntry[];
  isComplete: boolean;
}

/** With what is kept elsewhere, in order, each once: what the state says of an entry stands. It says so where some is missing. */
export function mergeArchivedEntries<T extends ConversationTimeline>(
  timeline: T,
  { entries, isComplete }: ArchivedEntries,
): T {
  const byId = new Map([...entries, ...timeline.items].map((entry) => [entry.id, entry]));
  const items = [...byId.values()].sort((a, b) => a.id - b.id);
  return { ...timeline, items, ...(isComplete ? {} : { truncated: true }) };
}

/** A timeline as the state has it, and where the rest of it is kept. */
export interface RecentTimeline extends ConversationTimeline {
  archivedChunks?: ArchiveChunk[];
}

/** What a person would read, in order, after that number. */
export function selectTimeline(state: ConversationState, after = 0): RecentTimeline {
  const items = state.entries.filter((entry) => isEntryAfter(entry, after));
  const chunks = state.archivedChunks?.filter(({ lastEntryId }) => lastEntryId > after) ?? [];
  return {
    items,
    ...(state.truncated ? { truncated: true } : {}),
    ...(chunks.length > 0 ? { archivedChunks: chunks } : {}),
  };
}

export function questionsInTimeline(entries: TimelineEntry[]): Question[] {
  return entries.flatMap((entry) => (entry.kind === 'question' ? [entry.question] : []));
}

/** Made, or as a question settled, after that number? */
export function isEntryAfter(entry: TimelineEntry, after: number): boolean {
  return entry.id > after || (entry.kind === 'question' && (entry.settledId ?? 0) > after);
}
