import { ChannelError } from '#channels/channel';
import type { OutboundResponse } from '#network/network';

/** Throws unless the receiver has taken it. Nothing of the address but its host is told: the rest may hold a key. */
export function takeVerdict(
  host: string,
  { status, headers }: Pick<OutboundResponse, 'status' | 'headers'>,
  now = Date.now(),
): void {
  if (status >= 200 && status < 300) return;
  if (status === 410)
    throw new ChannelError(`${host} answered 410: it wants no more webhooks, so it is sent none.`, {
      isGone: true,
    });
  const why = REASONS.find(([from, to]) => status >= from && status <= to)?.[2] ?? '';
  const retryAfterMs = status === 429 || status === 503 ? waitOf(headers['retry-after'], now) : undefined;
  throw new ChannelError(`${host} answered ${status}${why}.`, { retryAfterMs });
}

const REASONS: [from: number, to: number, why: string][] = [
  [
    300,
    399,
    ', which sends elsewhere, and webhooks are not redirected: give the address where they are taken',
  ],
  [401, 403, ': it may check signatures with another secret than the one that is set here'],
  [404, 405, ': it takes no webhooks at that path'],
];

const LONGEST_MS = 6 * 3_600_000;

/** Seconds, or a date. What cannot be read is as if it had not been said. */
function waitOf(said: string | undefined, now: number): number | undefined {
  if (said === undefined) return undefined;
  const ms = /^\d+$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - now;
  return ms > 0 ? Math.min(ms, LONGEST_MS) : undefined;
}
