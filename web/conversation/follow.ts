import type { ParleyError } from '#client/parley-error';
import { pause } from '#client/waiting';
import { listenTo } from '../live/listen';
import { tellSettled } from '../live/questions';
import { parley } from '../parley';
import type { Bell } from './bell';
import { begin, isFinished, type Story, tell } from './story';

/** What is known of a conversation; `isPartial` while no worker is there to tell its timeline. */
export interface Known {
  story: Story;
  isPartial: boolean;
}

export type Show = (change: (known: Known | undefined) => Known | undefined) => void;

const AGAIN_MS = 2_000;
/** A finished conversation may be taken up again, from another tab or by somebody else. */
const LOOK_AGAIN_MS = 8_000;

/** Reads a conversation and follows it until aborted. What does not pass by itself is thrown. */
export async function follow(
  id: string,
  known: Known | undefined,
  show: Show,
  bell: Bell,
  signal: AbortSignal,
): Promise<void> {
  let last = known && !known.isPartial ? known.story.last : undefined;
  while (!signal.aborted) {
    last ??= await load(id, show, signal);
    if (last === undefined) continue;
    const events = listenTo((until) => parley.events(id, { after: last, signal: until }), signal);
    let isCurrent = true;
    for await (const event of events) {
      if (event.event === 'question_answered') tellSettled(event.data);
      show((now) => now && { ...now, story: tell(now.story, event) });
      if ('id' in event) last = Math.max(last, event.id);
      // What came before it is no longer kept there: only the timeline has it.
      isCurrent = event.event !== 'snapshot';
      if (!isCurrent) break;
      if (CHANGING.has(event.event)) void refreshFigures(id, show, signal);
    }
    if (isCurrent) await waitForTakeUp(id, show, bell, signal);
    else last = undefined;
  }
}

const CHANGING = new Set(['message', 'question_pending', 'question_answered']);

/** What it has cost so far comes with no event. */
async function refreshFigures(id: string, show: Show, signal: AbortSignal): Promise<void> {
  const read = await parley.get(id, { signal }).catch(() => undefined);
  if (!read) return;
  const { usage, questionsAsked, updatedAt } = read;
  show((now) => {
    if (!now) return now;
    const conversation = { ...now.story.conversation, usage, questionsAsked, updatedAt };
    return { ...now, story: { ...now.story, conversation } };
  });
}

/** What is over by itself, sooner or later: so it is tried again. */
const PASSING = new Set<string>([
  'network',
  'unexpected_response',
  'worker_unavailable',
  'temporal_unavailable',
]);

/** By then a worker that is there has told the timeline. */
const PATIENCE_MS = 1_500;

/** For a tab that is opened and not yet looked at: it has its title, and something to show when it is. */
export async function readOnce(id: string, known: Known | undefined, show: Show, signal: AbortSignal) {
  if (!known) await load(id, show, signal);
}

/** The number up to which it is loaded; nothing while there is no worker, or no way to Parley. */
async function load(id: string, show: Show, signal: AbortSignal): Promise<number | undefined> {
  let late: ReturnType<typeof setTimeout> | undefined;
  try {
    const first = await parley.get(id, { signal });
    const partial = { story: begin(first, { items: [] }), isPartial: true };
    late = setTimeout(() => show((known) => known ?? partial), PATIENCE_MS);
    const timeline = await parley.timeline(id, { signal });
    // Read after the timeline: whatever it knows beyond that comes again as an event.
    const story = begin(await parley.get(id, { signal }), timeline);
    show(() => ({ story, isPartial: false }));
    return story.last;
  } catch (error) {
    if (signal.aborted) return undefined;
    const { code } = error as ParleyError;
    if (!PASSING.has(code)) throw error;
    await pause(AGAIN_MS, signal);
    return undefined;
  } finally {
    clearTimeout(late);
  }
}

/** Waits for it, when the stream has ended because the conversation has. */
async function waitForTakeUp(id: string, show: Show, bell: Bell, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await bell.wait(LOOK_AGAIN_MS, signal);
    const conversation = await parley.get(id, { signal }).catch(() => undefined);
    if (!conversation) continue;
    show((now) => now && { ...now, story: { ...now.story, conversation } });
    if (!isFinished(conversation)) return;
  }
}
