import { createHmac } from 'node:crypto';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';

/** The most a timestamp may differ from now, to prevent replay of a recorded request. */
const MAX_CLOCK_SKEW_SECONDS = 300;

export interface SlackSignedRequest {
  timestamp: string | undefined;
  signature: string | undefined;
  body: Buffer;
}

/** Returns whether the request is recent, unaltered and from Slack. */
export function isValidSlackSignature(
  secret: string,
  { timestamp, signature, body }: SlackSignedRequest,
  now: number,
): boolean {
  if (!timestamp || !signature || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1_000 - Number(timestamp)) > MAX_CLOCK_SKEW_SECONDS) return false;
  return isTimingSafeEqual(signature, computeSlackSignature(secret, timestamp, body));
}

export function computeSlackSignature(secret: string, timestamp: string, body: Buffer): string {
  const hmac = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body);
  return `v0=${hmac.digest('hex')}`;
}
