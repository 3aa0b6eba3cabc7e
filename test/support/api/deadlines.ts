const LONGEST_SECONDS = 64;

/**
 * Does something that has to be done before a deadline: with one of two seconds, and twice as much each time that it was not
 * done in time. A busy machine takes longer, and is not wrong.
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
