import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** One event of a stream, its data still as text. */
export interface Message<Data = unknown> {
  event: string;
  id?: number;
  data: Data;
}

interface Reading {
  /** Waits for the next part of the body. */
  next<T>(part: Promise<T>): Promise<T>;
  /** Something came, if only a comment. */
  onPart(): void;
  onRetry(ms: number): void;
}

/** The messages of a body as they come. One that is cut off is dropped: it comes again with the next connection. */
export async function* messagesIn(
  body: NonNullable<Response['body']>,
  { next, onPart, onRetry }: Reading,
): AsyncGenerator<Message<string>, void> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message), onRetry });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await next(reader.read());
    if (done) return;
    onPart();
    parser.feed(decoder.decode(value, { stream: true }));
    yield* ready.splice(0).map(numbered);
  }
}

function numbered({ event = 'message', id = '', data }: EventSourceMessage): Message<string> {
  return /^\d+$/.test(id) ? { event, id: Number(id), data } : { event, data };
}
