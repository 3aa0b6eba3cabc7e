/**
 * Does `work` in one tab of this browser at a time: browsers open only six connections to a server, for all tabs
 * together. The next tab takes over when this one goes. `steal` takes over from a tab that no longer answers.
 */
export async function inOneTab(
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
