const LONGEST_SECONDS = 64;

/**
 * Runs an action that must finish before a deadline. Starts with a deadline of two seconds and doubles it on each
 * failure, as a busy machine may be slow.
 */
export async function retryWithLongerTimeout<T>(act: (timeout: string) => Promise<T>): Promise<T> {
  for (let seconds = 2; ; seconds *= 2) {
    try {
      return await act(`${seconds}s`);
    } catch (error) {
      if (seconds >= LONGEST_SECONDS) throw error;
    }
  }
}

export async function waitUntilPassed(deadline: string | null | undefined): Promise<void> {
  while (Date.now() <= Date.parse(deadline ?? '')) await new Promise((resolve) => setTimeout(resolve, 20));
}
