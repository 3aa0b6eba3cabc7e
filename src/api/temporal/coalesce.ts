/** Shares one result between callers while it is loading and for `ms` after. */
export function memoizeFor<T>(ms: number, load: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined;
  const clear = () => {
    cached = undefined;
  };
  return () => {
    cached ??= load().finally(() => setTimeout(clear, ms).unref());
    return cached;
  };
}

/**
 * At most one question about a thing at a time: whoever asks while one is on its way shares the next, which is asked when that
 * is answered. Never the one before: it may tell what was before they did what they now want to see.
 */
export function coalesceByKey<T>(load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const inFlight = new Map<string, Promise<T>>();
  const queued = new Map<string, Promise<T>>();
  const start = (key: string): Promise<T> => {
    queued.delete(key);
    const result = load(key).finally(() => {
      if (inFlight.get(key) === result) inFlight.delete(key);
    });
    inFlight.set(key, result);
    return result;
  };
  return (key) => {
    const current = inFlight.get(key);
    if (!current) return start(key);
    const shared =
      queued.get(key) ??
      current.then(
        () => start(key),
        () => start(key),
      );
    queued.set(key, shared);
    return shared;
  };
}
