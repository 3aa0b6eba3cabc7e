/** One answer for everybody who asks while it is on its way, and for so long after it came. */
export function memoizeFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  const forget = () => {
    answer = undefined;
  };
  return () => {
    answer ??= ask().finally(() => setTimeout(forget, ms).unref());
    return answer;
  };
}

/**
 * At most one question about a thing at a time: whoever asks while one is on its way shares the next, which is asked when that
 * is answered. Never the one before: it may tell what was before they did what they now want to see.
 */
export function coalesceByKey<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const begin = (key: string): Promise<T> => {
    next.delete(key);
    const answer = ask(key).finally(() => {
      if (underWay.get(key) === answer) underWay.delete(key);
    });
    underWay.set(key, answer);
    return answer;
  };
  return (key) => {
    const before = underWay.get(key);
    if (!before) return begin(key);
    const shared =
      next.get(key) ??
      before.then(
        () => begin(key),
        () => begin(key),
      );
    next.set(key, shared);
    return shared;
  };
}
