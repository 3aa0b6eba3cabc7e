import { timingSafeEqual } from 'node:crypto';

/** Compares what must not be guessed: how long it takes tells nothing but the length. */
export function isTimingSafeEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
