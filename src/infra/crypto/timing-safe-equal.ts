import { timingSafeEqual } from 'node:crypto';

/** Compares secrets in constant time: the duration reveals nothing but the length. */
export function isTimingSafeEqual(actual: string, expected: string): boolean {
  const [actualBytes, expectedBytes] = [Buffer.from(actual), Buffer.from(expected)];
  return actualBytes.length === expectedBytes.length && timingSafeEqual(actualBytes, expectedBytes);
}
