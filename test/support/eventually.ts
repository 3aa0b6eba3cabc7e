const EVENTUALLY_TIMEOUT_MS = 60_000;

/** Looks again and again until it holds; for what no locator waits for. */
export async function eventually<T>(look: () => T | Promise<T>): Promise<T> {
  const until = Date.now() + EVENTUALLY_TIMEOUT_MS;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}
