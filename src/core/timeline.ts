import type { Question } from '#contract/question';
import type { ConversationTimeline, TimelineEntry } from '#contract/timeline';
import type { ConversationState } from './conversation/state';
import { jsonBytes } from './json';

/** How much of the timeline stays in the state once older entries were archived. */
export const MAX_RECENT_ENTRIES_BYTES = 1_000_000;
/** Archived entries leave in chunks that fit into one Temporal request. */
const MAX_CHUNK_BYTES = 1_000_000;

/** A chunk of entries in storage: its name and its highest entry id. */
export interface ArchiveChunk {
  name: string;
  lastEntryId: number;
}

/** The oldest entries that must leave to bring the state under the limit. An open question always stays. */
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

/** As many of them as fit into one chunk. */
export function takeFirstChunk(old: TimelineEntry[]): TimelineEntry[] {
  let bytes = 0;
  return old.filter((entry, index) => {
    bytes += jsonBytes(entry) + 1;
    return index === 0 || bytes <= MAX_CHUNK_BYTES;
  });
}

/** The entries of a range that can no longer change. */
export function findArchivableEntries(state: ConversationState, from: number, to: number): TimelineEntry[] {
  return state.entries.filter((entry) => entry.id >= from && entry.id <= to && !isPendingQuestion(entry));
}

function isPendingQuestion(entry: TimelineEntry): boolean {
  return entry.kind === 'question' && entry.settledId === null;
}

/** Removes archived entries from the state. Entries that changed meanwhile stay, for a later chunk. */
export function removeArchivedEntries(state: ConversationState, name: string, archived: TimelineEntry[]): void {
  const byId = new Map(archived.map((entry) => [entry.id, entry]));
  state.entries = state.entries.filter((entry) => !isUnchanged(entry, byId.get(entry.id)));
  const lastEntryId = Math.max(...archived.map(latestEventId));
  state.archivedChunks = [...(state.archivedChunks ?? []), { name, lastEntryId }];
  state.sizeBytes = jsonBytes(state);
}

function isUnchanged(entry: TimelineEntry, archived: TimelineEntry | undefined): boolean {
  return (
    entry === archived ||
    (entry.kind === 'question' && archived?.kind === 'question' && entry.question === archived.question)
  );
}

/** The number of the last event of an entry: a question has a second one, when it is resolved. */
export function latestEventId(entry: TimelineEntry): number {
  return entry.kind === 'question' ? Math.max(entry.id, entry.settledId ?? 0) : entry.id;
}

/** Archived entries, as far as they could be read. */
export interface ArchivedEntries {
  entries: TimelineEntry[];
  isComplete: boolean;
}

/** Merges archived entries into a timeline, in order and without duplicates; the state's version wins. */
export function mergeArchivedEntries<T extends ConversationTimeline>(
  timeline: T,
  { entries, isComplete }: ArchivedEntries,
): T {
  const byId = new Map([...entries, ...timeline.items].map((entry) => [entry.id, entry]));
  const items = [...byId.values()].sort((a, b) => a.id - b.id);
  return { ...timeline, items, ...(isComplete ? {} : { truncated: true }) };
}

/** The part of the timeline in the state, and where the rest is stored. */
export interface RecentTimeline extends ConversationTimeline {
  archivedChunks?: ArchiveChunk[];
}

/** The timeline after an entry id. */
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

/** True if the entry was created, or its question resolved, after that id. */
export function isEntryAfter(entry: TimelineEntry, after: number): boolean {
  return entry.id > after || (entry.kind === 'question' && (entry.settledId ?? 0) > after);
}
