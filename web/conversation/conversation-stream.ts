import { sleepUnlessAborted } from '#client/backoff';
import type { ParleyError } from '#client/parley-error';
import { apiClient } from '../api/client';
import { cacheResolvedQuestions } from '../api/live-questions';
import { streamWithReconnect } from '../api/stream';
import {
  applyConversationEvent,
  createTimelineState,
  hasConversationEnded,
  type TimelineState,
} from './timeline-state';

/** What is known of a conversation; `isPartial` while no worker is there to tell its timeline. */
export interface LoadedConversation {
  story: TimelineState;
  isPartial: boolean;
}

export type UpdateConversation = (
  change: (known: LoadedConversation | undefined) => LoadedConversation | undefined,
) => void;

const RETRY_MS = 2_000;
/** A finished conversation may be taken up again, from another tab or by somebody else. */
const REOPEN_POLL_MS = 8_000;

/** Reads a conversation and follows it until aborted. What does not pass by itself is thrown. */
export async function followConversationStream(
  id: string,
  known: LoadedConversation | undefined,
  show: UpdateConversation,
  bell: WakeSignal,
  signal: AbortSignal,
): Promise<void> {
  let last = known && !known.isPartial ? known.story.last : undefined;
  while (!signal.aborted) {
    last ??= await loadConversation(id, show, signal);
    if (last === undefined) continue;
    const events = streamWithReconnect((until) => apiClient.events(id, { after: last, signal: until }), signal);
    let isCurrent = true;
    for await (const event of events) {
      if (event.event === 'question_answered') cacheResolvedQuestions(event.data);
      show((now) => now && { ...now, story: applyConversationEvent(now.story, event) });
      if ('id' in event) last = Math.max(last, event.id);
      // What came before it is no longer kept there: only the timeline has it.
      isCurrent = event.event !== 'snapshot';
      if (!isCurrent) break;
      if (EVENTS_CHANGING_USAGE.has(event.event)) void refreshUsage(id, show, signal);
    }
    if (isCurrent) await waitForReopen(id, show, bell, signal);
    else last = undefined;
  }
}

const EVENTS_CHANGING_USAGE = new Set(['message', 'question_pending', 'question_answered']);

/** What it has cost so far comes with no event. */
async function refreshUsage(id: string, show: UpdateConversation, signal: AbortSignal): Promise<void> {
  const read = await apiClient.get(id, { signal }).catch(() => undefined);
  if (!read) return;
  const { usage, questionsAsked, updatedAt } = read;
  show((now) => {
    if (!now) return now;
    const conversation = { ...now.story.conversation, usage, questionsAsked, updatedAt };
    return { ...now, story: { ...now.story, conversation } };
  });
}

/** What is over by itself, sooner or later: so it is tried again. */
const TRANSIENT_CODES = new Set<string>([
  'network',
  'unexpected_response',
  'worker_unavailable',
  'temporal_unavailable',
]);

/** By then a worker that is there has told the timeline. */
const SHOW_PARTIAL_AFTER_MS = 1_500;

/** For a tab that is opened and not yet looked at: it has its title, and something to show when it is. */
export async function loadConversationOnce(
  id: string,
  known: LoadedConversation | undefined,
  show: UpdateConversation,
  signal: AbortSignal,
) {
  if (!known) await loadConversation(id, show, signal);
}

/** The number up to which it is loaded; nothing while there is no worker, or no way to Parley. */
async function loadConversation(
  id: string,
  show: UpdateConversation,
  signal: AbortSignal,
): Promise<number | undefined> {
  let late: ReturnType<typeof setTimeout> | undefined;
  try {
    const first = await apiClient.get(id, { signal });
    const partial = { story: createTimelineState(first, { items: [] }), isPartial: true };
    late = setTimeout(() => show((known) => known ?? partial), SHOW_PARTIAL_AFTER_MS);
    const timeline = await apiClient.timeline(id, { signal });
    // Read after the timeline: whatever it knows beyond that comes again as an event.
    const story = createTimelineState(await apiClient.get(id, { signal }), timeline);
    show(() => ({ story, isPartial: false }));
    return story.last;
  } catch (error) {
    if (signal.aborted) return undefined;
    const { code } = error as ParleyError;
    if (!TRANSIENT_CODES.has(code)) throw error;
    await sleepUnlessAborted(RETRY_MS, signal);
    return undefined;
  } finally {
    clearTimeout(late);
  }
}

/** Waits for it, when the stream has ended because the conversation has. */
async function waitForReopen(
  id: string,
  show: UpdateConversation,
  bell: WakeSignal,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await bell.wait(REOPEN_POLL_MS, signal);
    const conversation = await apiClient.get(id, { signal }).catch(() => undefined);
    if (!conversation) continue;
    show((now) => now && { ...now, story: { ...now.story, conversation } });
    if (!hasConversationEnded(conversation)) return;
  }
}

/** Wakes whoever waits, before their time is over. */
interface WakeSignal {
  ring(): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let ringing = new AbortController();
  return {
    ring() {
      ringing.abort();
      ringing = new AbortController();
    },
    wait: (ms, signal) => sleepUnlessAborted(ms, AbortSignal.any([signal, ringing.signal])),
  };
}
