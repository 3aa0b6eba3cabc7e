/** A read whose result is reused for `ms`. A failure is not reused. */
export function createCachedRead<T>(ms: number, load: () => Promise<T>) {
  let cached: { value: T; readAt: number } | undefined;
  let pending: Promise<T> | undefined;
  const loadAndCache = async () => {
    const value = await load();
    cached = { value, readAt: Date.now() };
    return value;
  };
  const readCached = (): T | undefined => (cached && Date.now() - cached.readAt < ms ? cached.value : undefined);
  const refresh = (): Promise<T> => {
    pending ??= loadAndCache().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  return {
    cached: readCached,
    /** Reads anew. Concurrent callers share one read. */
    refresh,
    read: async (): Promise<T> => readCached() ?? refresh(),
  };
}
