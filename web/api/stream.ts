import { sleepUnlessAborted } from '#client/backoff';
import { ParleyError } from '#client/parley-error';

const RECONNECT_MS = 2_000;
/** Parley is unreachable, or a proxy answered in its place. */
const TRANSIENT_CODES = new Set<string>(['network', 'unexpected_response']);

/** Yields from a stream until it ends or is aborted, and reopens it while Parley is unreachable. */
export async function* streamWithReconnect<T>(
  openStream: (signal: AbortSignal) => AsyncGenerator<T, void>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  while (!signal.aborted) {
    try {
      yield* openStream(signal);
      return;
    } catch (error) {
      if (!(error instanceof ParleyError && TRANSIENT_CODES.has(error.code))) throw error;
      await sleepUnlessAborted(RECONNECT_MS, signal);
    }
  }
}

/**
 * Runs `task` in one tab of this browser at a time, because browsers open only six connections to a server for all tabs
 * together. The next tab takes over when this one closes. `steal` takes over from a tab that no longer replies.
 */
export async function runInSingleTab(
  lockName: string,
  task: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  { steal = false } = {},
): Promise<void> {
  // Web Locks need a secure context. Without them, each tab runs the task itself.
  if (!navigator.locks) return task(signal);
  const taskController = new AbortController();
  const abortTask = () => taskController.abort();
  signal.addEventListener('abort', abortTask);
  try {
    // The API does not accept both. A stolen lock is granted at once, so there is no wait to abort.
    const options = steal ? { steal } : { signal };
    await navigator.locks.request(lockName, options, () => task(taskController.signal));
  } catch (error) {
    if ((error as DOMException).name !== 'AbortError') throw error;
  } finally {
    taskController.abort();
    signal.removeEventListener('abort', abortTask);
  }
}
