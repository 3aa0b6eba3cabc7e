import { sleepUnlessAborted } from '#client/backoff';
import { ParleyError } from '#client/parley-error';

const RECONNECT_MS = 2_000;
/** No way there, or something on the way that answers in its place. */
const TRANSIENT_CODES = new Set<string>(['network', 'unexpected_response']);

/** A stream for as long as somebody looks on: while Parley cannot be reached at all it is opened again and again. */
export async function* streamWithReconnect<T>(
  open: (signal: AbortSignal) => AsyncGenerator<T, void>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  while (!signal.aborted) {
    try {
      yield* open(signal);
      return;
    } catch (error) {
      if (!(error instanceof ParleyError && TRANSIENT_CODES.has(error.code))) throw error;
      await sleepUnlessAborted(RECONNECT_MS, signal);
    }
  }
}

/**
 * Does `work` in one tab of this browser at a time: browsers open only six connections to a server, for all tabs
 * together. The next tab takes over when this one goes. `steal` takes over from a tab that no longer answers.
 */
export async function runInSingleTab(
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  { steal = false } = {},
): Promise<void> {
  // Only where a page is secure: elsewhere every tab works for itself.
  if (!navigator.locks) return work(signal);
  const lost = new AbortController();
  const stop = () => lost.abort();
  signal.addEventListener('abort', stop);
  try {
    // The two do not go together: a theft does not wait, so there is nothing to abort.
    const options = steal ? { steal } : { signal };
    await navigator.locks.request(name, options, () => work(lost.signal));
  } catch (error) {
    if ((error as DOMException).name !== 'AbortError') throw error;
  } finally {
    lost.abort();
    signal.removeEventListener('abort', stop);
  }
}
