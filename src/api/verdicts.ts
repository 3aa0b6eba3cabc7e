import type { Verdict } from '../core/state';
import { Refusal } from './errors';
import type { Gateway, Run } from './gateway';

const PATIENCE_MS = 2_000;
/** A worker takes about this long. To look sooner is to look in vain, and to slow it down. */
const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 120;

/** Look at the run, again and again for two seconds, until it tells. `undefined`: no worker has acted yet. */
export async function untilTold<T>(
  gateway: Gateway,
  id: string,
  look: (run: Run) => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const told = await look(await gateway.find(id));
    if (told !== undefined || Date.now() + wait > deadline) return told;
  }
}

/** The same `Idempotency-Key` means the same request, or it means nothing. */
export function refuseOtherBody(earlier: Pick<Verdict, 'digest'>, now: { digest: string }): void {
  if (earlier.digest === now.digest) return;
  throw new Refusal(
    'idempotency_conflict',
    'This Idempotency-Key was used before with another body. Use a new key for a new request.',
  );
}
