import { createHmac } from 'node:crypto';
import { isSame } from './same';

/** As old or as far ahead as a request may be: what is older may have been kept to be sent again. */
const WINDOW_SECONDS = 300;

export interface SlackSigned {
  timestamp: string | undefined;
  signature: string | undefined;
  body: Buffer;
}

/** Is it from Slack, as it was sent, and just now? */
export function isSlackSigned(
  secret: string,
  { timestamp, signature, body }: SlackSigned,
  now: number,
): boolean {
  if (!timestamp || !signature || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1_000 - Number(timestamp)) > WINDOW_SECONDS) return false;
  return isSame(signature, slackSignature(secret, timestamp, body));
}

export function slackSignature(secret: string, timestamp: string, body: Buffer): string {
  const signed = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body);
  return `v0=${signed.digest('hex')}`;
}
