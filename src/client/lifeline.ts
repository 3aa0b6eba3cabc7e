/** What one connection hangs on: its caller, and that it is never silent for too long. */
export interface Lifeline {
  signal: AbortSignal;
  /** Waits for the other side, and cuts the line where nothing comes. */
  during<T>(work: Promise<T>): Promise<T>;
  cut(reason?: unknown): void;
}

export function lifeline(silenceMs: number, caller: AbortSignal | undefined, silent: () => Error): Lifeline {
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
