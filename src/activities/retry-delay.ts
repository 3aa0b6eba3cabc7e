/** The delay doubles with each attempt, with jitter, so that many failures do not retry at once. */
export function jitteredBackoff(attempt: number, firstMs: number, maxMs: number): number {
  const delayMs = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 20));
  return Math.round(delayMs * (0.5 + Math.random() / 2));
}
