/** One answer for everybody who asks while it is on its way, and for so long after it came. */
export function sharedFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  const forget = () => {
    answer = undefined;
  };
  return () => {
    answer ??= ask().finally(() => setTimeout(forget, ms).unref());
    return answer;
  };
}
