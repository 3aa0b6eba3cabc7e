import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { backoffDelayMs, sleepUnlessAborted } from './backoff';
import type { ClientSettings } from './options';
import { createNetworkError, createUnexpectedResponseError, isOperatorActionNeeded, ParleyError } from './parley-error';
import {
  buildApiUrl,
  buildRequestHeaders,
  fetchOrThrow,
  type PathSegments,
  type QueryParameters,
  rethrowAsNetworkError,
} from './request';

export interface EventStreamSource {
  path: PathSegments;
  query?: QueryParameters;
  /** The number to go on from. */
  after?: number;
  signal?: AbortSignal;
  /** Told when the line is lost, and with nothing when it is back. */
  onTrouble?: (trouble: ParleyError | undefined) => void;
  /** Asked when the server has nothing left (204): the last message there is, or none to look again. */
  ending?: () => Promise<SseMessage | undefined>;
}

/** How far a stream has come, over all of its connections. */
interface StreamProgress {
  last: number | undefined;
  failures: number;
  retryMs: number | undefined;
  wasReached: boolean;
  isTroubled: boolean;
}

/**
 * Every message of a stream once, over as many connections as it takes. It ends where its signal is aborted or the
 * server has nothing left; trouble that does not pass is thrown.
 */
export async function* readEventStream(
  settings: ClientSettings,
  source: EventStreamSource,
): AsyncGenerator<SseMessage, void> {
  const { timing } = settings;
  const { signal } = source;
  const course: StreamProgress = {
    last: source.after,
    failures: 0,
    retryMs: undefined,
    wasReached: false,
    isTroubled: false,
  };
  while (!signal?.aborted) {
    const line = createConnectionTimeout(timing.silenceMs, signal, () => createSilenceError(settings));
    let askedMs: number | undefined;
    try {
      if ((yield* readConnection(settings, source, course, line)) === 'ended') return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isRecoverable(error, course, settings)) throw error;
      askedMs = error.retryAfterMs;
      course.isTroubled = true;
      source.onTrouble?.(error);
    } finally {
      line.cut();
    }
    const pace = { ...timing, firstWaitMs: course.retryMs ?? timing.firstWaitMs };
    await sleepUnlessAborted(backoffDelayMs(pace, course.failures, askedMs), signal);
    course.failures += 1;
  }
}

/** A server that never answered may be the wrong one: that is told. One that did comes back. */
function isRecoverable(error: unknown, course: StreamProgress, { retries }: ClientSettings): error is ParleyError {
  if (!(error instanceof ParleyError) || isOperatorActionNeeded(error)) return false;
  if (error.code === 'network') return course.wasReached || course.failures < retries;
  return isTransientStatus(error.status);
}

function isTransientStatus(status = 0): boolean {
  return status === 429 || status >= 500;
}

function createSilenceError({ url, timing }: ClientSettings): ParleyError {
  return createNetworkError(url, new Error(`nothing came for ${timing.silenceMs} ms`), false);
}

/** One connection, from where the stream has come to. */
async function* readConnection(
  settings: ClientSettings,
  source: EventStreamSource,
  course: StreamProgress,
  line: ConnectionTimeout,
): AsyncGenerator<SseMessage, 'ended' | undefined> {
  const response = await openConnection(settings, source, course, line);
  if (response.status === 204) return yield* finishStream(source);
  if (!response.body || !/^text\/event-stream\b/.test(response.headers.get('content-type') ?? ''))
    throw createUnexpectedResponseError(response);
  const messages = parseSseMessages(response.body, {
    next: (part) => line.during(part).catch(rethrowAsNetworkError(settings, line)),
    // A quiet stream carries comments only: it is healthy all the same.
    onPart: () => {
      course.failures = 0;
      if (course.isTroubled) source.onTrouble?.(undefined);
      course.isTroubled = false;
    },
    onRetry: (ms) => {
      course.retryMs = ms;
    },
  });
  for await (const { data, ...message } of messages) {
    line.signal.throwIfAborted();
    if (isDuplicate(message, course)) continue;
    course.last = message.id ?? course.last;
    yield { ...message, data: parseEventData(data, response) };
  }
}

async function openConnection(
  settings: ClientSettings,
  source: EventStreamSource,
  course: StreamProgress,
  line: ConnectionTimeout,
): Promise<Response> {
  const resume = course.last === undefined ? undefined : { 'last-event-id': String(course.last) };
  const headers = buildRequestHeaders(settings, { accept: 'text/event-stream', ...resume });
  const url = buildApiUrl(settings, source.path, source.query);
  const opened = fetchOrThrow(settings, url, { headers, signal: line.signal });
  try {
    const response = await line.during(opened);
    course.wasReached = true;
    return response;
  } catch (error) {
    course.wasReached ||= error instanceof ParleyError && error.status !== undefined;
    throw error;
  }
}

async function* finishStream({ ending }: EventStreamSource): AsyncGenerator<SseMessage, 'ended' | undefined> {
  const last = await ending?.();
  if (last) yield last;
  return last || !ending ? 'ended' : undefined;
}

/** Numbers only grow, so a lower one came before. A snapshot never did: it is sent where the place is not known. */
function isDuplicate({ event, id }: Omit<SseMessage, 'data'>, { last }: StreamProgress): boolean {
  return event !== 'snapshot' && id !== undefined && last !== undefined && id <= last;
}

function parseEventData(data: string, response: Response): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw createUnexpectedResponseError(response);
  }
}

/** What one connection hangs on: its caller, and that it is never silent for too long. */
interface ConnectionTimeout {
  signal: AbortSignal;
  /** Waits for the other side, and cuts the line where nothing comes. */
  during<T>(work: Promise<T>): Promise<T>;
  cut(reason?: unknown): void;
}

function createConnectionTimeout(
  silenceMs: number,
  caller: AbortSignal | undefined,
  silent: () => Error,
): ConnectionTimeout {
  const controller = new AbortController();
  const follow = () => controller.abort(caller?.reason);
  caller?.addEventListener('abort', follow);
  if (caller?.aborted) follow();
  return {
    signal: controller.signal,
    async during(work) {
      const timer = setTimeout(() => controller.abort(silent()), silenceMs);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    },
    cut(reason) {
      caller?.removeEventListener('abort', follow);
      controller.abort(reason);
    },
  };
}

/** One event of a stream, its data still as text. */
export interface SseMessage<Data = unknown> {
  event: string;
  id?: number;
  data: Data;
}

interface SseBodyReader {
  /** Waits for the next part of the body. */
  next<T>(part: Promise<T>): Promise<T>;
  /** Something came, if only a comment. */
  onPart(): void;
  onRetry(ms: number): void;
}

/** The messages of a body as they come. One that is cut off is dropped: it comes again with the next connection. */
async function* parseSseMessages(
  body: NonNullable<Response['body']>,
  { next, onPart, onRetry }: SseBodyReader,
): AsyncGenerator<SseMessage<string>, void> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message), onRetry });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await next(reader.read());
    if (done) return;
    onPart();
    parser.feed(decoder.decode(value, { stream: true }));
    yield* ready.splice(0).map(toSseMessage);
  }
}

function toSseMessage({ event = 'message', id = '', data }: EventSourceMessage): SseMessage<string> {
  return /^\d+$/.test(id) ? { event, id: Number(id), data } : { event, data };
}
