import { type Lifeline, lifeline } from './lifeline';
import { type Message, messagesIn } from './messages';
import { needsSomebody, ParleyError, unexpected, unreachable } from './parley-error';
import { broken, headersOf, type Path, type Query, respond, urlOf } from './request';
import type { Settings } from './settings';
import { pause, waitMs } from './waiting';

export interface Source {
  path: Path;
  query?: Query;
  /** The number to go on from. */
  after?: number;
  signal?: AbortSignal;
  /** Told when the line is lost, and with nothing when it is back. */
  onTrouble?: (trouble: ParleyError | undefined) => void;
  /** Asked when the server has nothing left (204): the last message there is, or none to look again. */
  ending?: () => Promise<Message | undefined>;
}

/** How far a stream has come, over all of its connections. */
interface Course {
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
export async function* stream(settings: Settings, source: Source): AsyncGenerator<Message, void> {
  const { timing } = settings;
  const { signal } = source;
  const course: Course = {
    last: source.after,
    failures: 0,
    retryMs: undefined,
    wasReached: false,
    isTroubled: false,
  };
  while (!signal?.aborted) {
    const line = lifeline(timing.silenceMs, signal, () => silence(settings));
    let askedMs: number | undefined;
    try {
      if ((yield* listen(settings, source, course, line)) === 'ended') return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error, course, settings)) throw error;
      askedMs = error.retryAfterMs;
      course.isTroubled = true;
      source.onTrouble?.(error);
    } finally {
      line.cut();
    }
    const pace = { ...timing, firstWaitMs: course.retryMs ?? timing.firstWaitMs };
    await pause(waitMs(pace, course.failures, askedMs), signal);
    course.failures += 1;
  }
}

/** A server that never answered may be the wrong one: that is told. One that did comes back. */
function isPassing(error: unknown, course: Course, { retries }: Settings): error is ParleyError {
  if (!(error instanceof ParleyError) || needsSomebody(error)) return false;
  if (error.code === 'network') return course.wasReached || course.failures < retries;
  return isTrouble(error.status);
}

function isTrouble(status = 0): boolean {
  return status === 429 || status >= 500;
}

function silence({ url, timing }: Settings): ParleyError {
  return unreachable(url, new Error(`nothing came for ${timing.silenceMs} ms`), false);
}

/** One connection, from where the stream has come to. */
async function* listen(
  settings: Settings,
  source: Source,
  course: Course,
  line: Lifeline,
): AsyncGenerator<Message, 'ended' | undefined> {
  const response = await open(settings, source, course, line);
  if (response.status === 204) return yield* end(source);
  if (!response.body || !/^text\/event-stream\b/.test(response.headers.get('content-type') ?? ''))
    throw unexpected(response);
  const messages = messagesIn(response.body, {
    next: (part) => line.during(part).catch(broken(settings, line)),
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
    if (isSeen(message, course)) continue;
    course.last = message.id ?? course.last;
    yield { ...message, data: parsed(data, response) };
  }
}

async function open(settings: Settings, source: Source, course: Course, line: Lifeline): Promise<Response> {
  const resume = course.last === undefined ? undefined : { 'last-event-id': String(course.last) };
  const headers = headersOf(settings, { accept: 'text/event-stream', ...resume });
  const url = urlOf(settings, source.path, source.query);
  const opened = respond(settings, url, { headers, signal: line.signal });
  try {
    const response = await line.during(opened);
    course.wasReached = true;
    return response;
  } catch (error) {
    course.wasReached ||= error instanceof ParleyError && error.status !== undefined;
    throw error;
  }
}

async function* end({ ending }: Source): AsyncGenerator<Message, 'ended' | undefined> {
  const last = await ending?.();
  if (last) yield last;
  return last || !ending ? 'ended' : undefined;
}

/** Numbers only grow, so a lower one came before. A snapshot never did: it is sent where the place is not known. */
function isSeen({ event, id }: Omit<Message, 'data'>, { last }: Course): boolean {
  return event !== 'snapshot' && id !== undefined && last !== undefined && id <= last;
}

function parsed(data: string, response: Response): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw unexpected(response);
  }
}
