const EVENTUALLY_TIMEOUT_MS = 60_000;

/** Retries the check until it passes. For conditions that locators cannot wait for. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const deadline = Date.now() + EVENTUALLY_TIMEOUT_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}
