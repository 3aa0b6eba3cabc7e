/** Waits for work, but for `ms` at most: then settles as `onTimeout` does, and the work goes on unobserved. */
export async function withTimeout<T>(work: Promise<T>, ms: number, onTimeout: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timedOut.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
