import type { ConversationEvent, InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';

/** The encoded event of one number, created once for all viewers. Some numbers have no event. */
export interface SseFrame {
  number: number;
  text: string | null;
}

type NumberedEvent = { number: number; event: ConversationEvent | null };

/** Returns a frame for each number of these entries, in order. A resolved question has two numbers. */
export function toSseFrames(entries: TimelineEntry[]): SseFrame[] {
  return toStreamEvents(entries).map(({ number, event }) => ({ number, text: event && encodeSseEvent(event) }));
}

export function toStreamEvents(entries: TimelineEntry[]): NumberedEvent[] {
  return entries.flatMap(eventsOf).sort((a, b) => a.number - b.number);
}

function eventsOf(entry: TimelineEntry): NumberedEvent[] {
  const { id } = entry;
  switch (entry.kind) {
    case 'notice':
      return [{ number: id, event: null }];
    case 'question': {
      const { question, settledId } = entry;
      const pending = { number: id, event: { event: 'question_pending', id, data: asPending(question) } } as const;
      if (settledId === null) return [pending];
      return [pending, { number: settledId, event: { event: 'question_answered', id: settledId, data: question } }];
    }
    default:
      return [{ number: id, event: { event: entry.kind, id, data: entry } as ConversationEvent }];
  }
}

/** Returns the question as it was when asked, so that a resumed stream shows the same as a live one. */
function asPending(question: Question): Question {
  return { ...question, status: 'pending', notices: [], outcome: null };
}

export function frameLength(frames: { text: string | null }[]): number {
  return frames.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
}

/** Encodes an event. JSON has no line breaks, so its data is one line. */
export function encodeSseEvent(event: ConversationEvent | InboxEvent): string {
  const id = 'id' in event ? `id: ${event.id}\n` : '';
  return `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
