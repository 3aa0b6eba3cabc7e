import type { ConversationEvent, InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';

/** One number of a conversation, as text to send: made once, for all who watch. Some numbers have nothing to send. */
export interface SseFrame {
  number: number;
  text: string | null;
}

type Numbered = { number: number; event: ConversationEvent | null };

/** Every number of these entries in order: an entry's own, and the one its question was settled by. */
export function toSseFrames(entries: TimelineEntry[]): SseFrame[] {
  return toStreamEvents(entries).map(({ number, event }) => ({ number, text: event && encodeSseEvent(event) }));
}

export function toStreamEvents(entries: TimelineEntry[]): Numbered[] {
  return entries.flatMap(numbersOf).sort((a, b) => a.number - b.number);
}

function numbersOf(entry: TimelineEntry): Numbered[] {
  const { id } = entry;
  switch (entry.kind) {
    case 'message':
      return [{ number: id, event: { event: 'message', id, data: entry } }];
    case 'tool':
      return [{ number: id, event: { event: 'tool', id, data: entry } }];
    case 'todos':
      return [{ number: id, event: { event: 'todos', id, data: entry } }];
    case 'status':
      return [{ number: id, event: { event: 'status', id, data: entry } }];
    case 'notice':
      return [{ number: id, event: null }];
    case 'question':
      return questionNumbers(entry);
  }
}

function questionNumbers({ id, question, settledId }: TimelineEntry & { kind: 'question' }): Numbered[] {
  const asked: Numbered = { number: id, event: { event: 'question_pending', id, data: asAsked(question) } };
  if (settledId === null) return [asked];
  const event = { event: 'question_answered', id: settledId, data: question } as const;
  return [asked, { number: settledId, event }];
}

/** A stream resumed later says what one that was there said. */
function asAsked(question: Question): Question {
  return { ...question, status: 'pending', notices: [], outcome: null };
}

export function frameLength(texts: { text: string | null }[]): number {
  return texts.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
}

/** As it goes over the wire: JSON has no line breaks, so its data is one line. */
export function encodeSseEvent(event: ConversationEvent | InboxEvent): string {
  const id = 'id' in event ? `id: ${event.id}\n` : '';
  return `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
