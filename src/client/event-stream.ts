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
  /** Resume after the event with this id. */
  after?: number;
  signal?: AbortSignal;
  /** Called with the error when the connection is lost, and with undefined when it is restored. */
  onConnectionChange?: (error: ParleyError | undefined) => void;
  /** Called when the server has no more events (204). Returns the last message, or undefined to reconnect. */
  readFinalMessage?: () => Promise<SseMessage | undefined>;
}

/** The state of a stream across its connections. */
interface StreamProgress {
  lastId: number | undefined;
  failures: number;
  retryMs: number | undefined;
  wasReached: boolean;
  isConnectionLost: boolean;
}

/**
 * Yields every message of a stream once, reconnecting as needed. Ends when its signal is aborted or the server has no
 * more events; throws errors that are not transient.
 */
export async function* readEventStream(
  settings: ClientSettings,
  source: EventStreamSource,
): AsyncGenerator<SseMessage, void> {
  const { timing } = settings;
  const { signal } = source;
  const progress: StreamProgress = {
    lastId: source.after,
    failures: 0,
    retryMs: undefined,
    wasReached: false,
    isConnectionLost: false,
  };
  while (!signal?.aborted) {
    const connection = createConnectionTimeout(settings, signal);
    let retryAfterMs: number | undefined;
    try {
      if ((yield* readConnection(settings, source, progress, connection)) === 'ended') return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isRecoverable(error, progress, settings)) throw error;
      retryAfterMs = error.retryAfterMs;
      progress.isConnectionLost = true;
      source.onConnectionChange?.(error);
    } finally {
      connection.close();
    }
    const reconnectTiming = { ...timing, firstWaitMs: progress.retryMs ?? timing.firstWaitMs };
    await sleepUnlessAborted(backoffDelayMs(reconnectTiming, progress.failures, retryAfterMs), signal);
    progress.failures += 1;
  }
}

/**
 * Returns whether to reconnect. A server that never answered may be the wrong one, so it fails after a few attempts.
 * One that did is retried without limit.
 */
function isRecoverable(error: unknown, progress: StreamProgress, { retries }: ClientSettings): error is ParleyError {
  if (!(error instanceof ParleyError) || isOperatorActionNeeded(error)) return false;
  if (error.code === 'network') return progress.wasReached || progress.failures < retries;
  const { status = 0 } = error;
  return status === 429 || status >= 500;
}

/** Reads one connection, resuming after the last message. */
async function* readConnection(
  settings: ClientSettings,
  source: EventStreamSource,
  progress: StreamProgress,
  connection: ConnectionTimeout,
): AsyncGenerator<SseMessage, 'ended' | undefined> {
  const response = await openConnection(settings, source, progress, connection);
  if (response.status === 204) return yield* finishStream(source);
  if (!response.body || !/^text\/event-stream\b/.test(response.headers.get('content-type') ?? ''))
    throw createUnexpectedResponseError(response);
  const messages = parseSseMessages(response.body, {
    awaitChunk: (chunk) => connection.withSilenceTimeout(chunk).catch(rethrowAsNetworkError(settings, connection)),
    // A quiet stream carries only comments, and is healthy.
    onChunk: () => {
      progress.failures = 0;
      if (progress.isConnectionLost) source.onConnectionChange?.(undefined);
      progress.isConnectionLost = false;
    },
    onRetry: (ms) => {
      progress.retryMs = ms;
    },
  });
  for await (const { data, ...message } of messages) {
    connection.signal.throwIfAborted();
    if (isDuplicate(message, progress)) continue;
    progress.lastId = message.id ?? progress.lastId;
    yield { ...message, data: parseEventData(data, response) };
  }
}

async function openConnection(
  settings: ClientSettings,
  source: EventStreamSource,
  progress: StreamProgress,
  connection: ConnectionTimeout,
): Promise<Response> {
  const resume = progress.lastId === undefined ? undefined : { 'last-event-id': String(progress.lastId) };
  const headers = buildRequestHeaders(settings, { accept: 'text/event-stream', ...resume });
  const url = buildApiUrl(settings, source.path, source.query);
  const pending = fetchOrThrow(settings, url, { headers, signal: connection.signal });
  try {
    const response = await connection.withSilenceTimeout(pending);
    progress.wasReached = true;
    return response;
  } catch (error) {
    progress.wasReached ||= error instanceof ParleyError && error.status !== undefined;
    throw error;
  }
}

async function* finishStream({ readFinalMessage }: EventStreamSource): AsyncGenerator<SseMessage, 'ended' | undefined> {
  const finalMessage = await readFinalMessage?.();
  if (finalMessage) yield finalMessage;
  return finalMessage || !readFinalMessage ? 'ended' : undefined;
}

/** Returns whether a message was seen before: ids only grow. A snapshot is sent when the position is unknown. */
function isDuplicate({ event, id }: Omit<SseMessage, 'data'>, { lastId }: StreamProgress): boolean {
  return event !== 'snapshot' && id !== undefined && lastId !== undefined && id <= lastId;
}

function parseEventData(data: string, response: Response): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw createUnexpectedResponseError(response);
  }
}

type ConnectionTimeout = ReturnType<typeof createConnectionTimeout>;

/** Aborts a connection when its caller aborts, or when it is silent for too long. */
function createConnectionTimeout({ url, timing: { silenceMs } }: ClientSettings, caller: AbortSignal | undefined) {
  const createError = () => createNetworkError(url, new Error(`no data for ${silenceMs} ms`), false);
  const controller = new AbortController();
  const abortWithCaller = () => controller.abort(caller?.reason);
  caller?.addEventListener('abort', abortWithCaller);
  if (caller?.aborted) abortWithCaller();
  return {
    signal: controller.signal,
    /** Waits for work, and aborts the connection if it takes longer than the silence limit. */
    async withSilenceTimeout<T>(work: Promise<T>): Promise<T> {
      const timer = setTimeout(() => controller.abort(createError()), silenceMs);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    },
    close(): void {
      caller?.removeEventListener('abort', abortWithCaller);
      controller.abort();
    },
  };
}

export interface SseMessage<Data = unknown> {
  event: string;
  id?: number;
  data: Data;
}

interface SseBodyReader {
  awaitChunk<T>(chunk: Promise<T>): Promise<T>;
  /** Called for every chunk, even if it holds only a comment. */
  onChunk(): void;
  onRetry(ms: number): void;
}

/** Yields the messages of a response body. Drops an incomplete message, because the next connection sends it again. */
async function* parseSseMessages(
  body: NonNullable<Response['body']>,
  { awaitChunk, onChunk, onRetry }: SseBodyReader,
): AsyncGenerator<SseMessage<string>, void> {
  const parsed: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => parsed.push(message), onRetry });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await awaitChunk(reader.read());
    if (done) return;
    onChunk();
    parser.feed(decoder.decode(value, { stream: true }));
    yield* parsed.splice(0).map(toSseMessage);
  }
}

function toSseMessage({ event = 'message', id = '', data }: EventSourceMessage): SseMessage<string> {
  return /^\d+$/.test(id) ? { event, id: Number(id), data } : { event, data };
}
