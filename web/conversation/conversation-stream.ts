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

/** A loaded conversation. `isPartial`: its timeline is missing because no worker could return it yet. */
export interface LoadedConversation {
  timeline: TimelineState;
  isPartial: boolean;
}

export type UpdateConversation = (
  transform: (current: LoadedConversation | undefined) => LoadedConversation | undefined,
) => void;

const RETRY_MS = 2_000;
/** A finished conversation may be reopened, from another tab or by another person. */
const REOPEN_POLL_MS = 8_000;

/** Loads a conversation and follows it until aborted. Throws errors that a retry cannot fix. */
export async function followConversationStream(
  id: string,
  current: LoadedConversation | undefined,
  update: UpdateConversation,
  wakeSignal: WakeSignal,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId = current && !current.isPartial ? current.timeline.lastEventId : undefined;
  while (!signal.aborted) {
    lastEventId ??= await loadConversation(id, update, signal);
    if (lastEventId === undefined) continue;
    const events = streamWithReconnect(
      (streamSignal) => apiClient.events(id, { after: lastEventId, signal: streamSignal }),
      signal,
    );
    let isContinuous = true;
    for await (const event of events) {
      if (event.event === 'question_answered') cacheResolvedQuestions(event.data);
      update((current) => current && { ...current, timeline: applyConversationEvent(current.timeline, event) });
      if ('id' in event) lastEventId = Math.max(lastEventId, event.id);
      // A snapshot means that earlier events are no longer buffered, so the timeline is loaded again.
      isContinuous = event.event !== 'snapshot';
      if (!isContinuous) break;
      if (EVENTS_CHANGING_USAGE.has(event.event)) void refreshUsage(id, update, signal);
    }
    if (isContinuous) await waitForReopen(id, update, wakeSignal, signal);
    else lastEventId = undefined;
  }
}

const EVENTS_CHANGING_USAGE = new Set(['message', 'question_pending', 'question_answered']);

/** Usage changes without an event, so it is fetched. */
async function refreshUsage(id: string, update: UpdateConversation, signal: AbortSignal): Promise<void> {
  const latest = await apiClient.get(id, { signal }).catch(() => undefined);
  if (!latest) return;
  const { usage, questionsAsked, updatedAt } = latest;
  update((current) => {
    if (!current) return current;
    const conversation = { ...current.timeline.conversation, usage, questionsAsked, updatedAt };
    return { ...current, timeline: { ...current.timeline, conversation } };
  });
}

/** Errors that pass, so the request is retried. */
const TRANSIENT_CODES = new Set<string>([
  'network',
  'unexpected_response',
  'worker_unavailable',
  'temporal_unavailable',
]);

/** A running worker returns the timeline within this time. */
const SHOW_PARTIAL_AFTER_MS = 1_500;

/** For a tab opened in the background: gives it a title, and something to show when it becomes visible. */
export async function loadConversationOnce(
  id: string,
  current: LoadedConversation | undefined,
  update: UpdateConversation,
  signal: AbortSignal,
) {
  if (!current) await loadConversation(id, update, signal);
}

/** Returns the last event id that is loaded; `undefined` without a worker or a connection to Parley. */
async function loadConversation(
  id: string,
  update: UpdateConversation,
  signal: AbortSignal,
): Promise<number | undefined> {
  let partialTimer: ReturnType<typeof setTimeout> | undefined;
  try {
    const initial = await apiClient.get(id, { signal });
    const partialTimeline = { timeline: createTimelineState(initial, { items: [] }), isPartial: true };
    partialTimer = setTimeout(() => update((current) => current ?? partialTimeline), SHOW_PARTIAL_AFTER_MS);
    const response = await apiClient.timeline(id, { signal });
    // Fetched after the timeline: anything newer arrives again as an event.
    const timeline = createTimelineState(await apiClient.get(id, { signal }), response);
    update(() => ({ timeline, isPartial: false }));
    return timeline.lastEventId;
  } catch (error) {
    if (signal.aborted) return undefined;
    const { code } = error as ParleyError;
    if (!TRANSIENT_CODES.has(code)) throw error;
    await sleepUnlessAborted(RETRY_MS, signal);
    return undefined;
  } finally {
    clearTimeout(partialTimer);
  }
}

/** Polls a conversation that has ended until it is reopened. */
async function waitForReopen(
  id: string,
  update: UpdateConversation,
  wakeSignal: WakeSignal,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await wakeSignal.wait(REOPEN_POLL_MS, signal);
    const conversation = await apiClient.get(id, { signal }).catch(() => undefined);
    if (!conversation) continue;
    update((current) => current && { ...current, timeline: { ...current.timeline, conversation } });
    if (!hasConversationEnded(conversation)) return;
  }
}

/** Lets a waiter continue before its timeout. */
interface WakeSignal {
  wake(): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let controller = new AbortController();
  return {
    wake() {
      controller.abort();
      controller = new AbortController();
    },
    wait: (ms, signal) => sleepUnlessAborted(ms, AbortSignal.any([signal, controller.signal])),
  };
}
