import { generateIdempotencyKey } from '#client/request';

/** The last request body that was sent, and its idempotency key. */
export interface SubmitAttempt {
  body: string;
  key: string;
}

/** For a send without a reply, which may have arrived. A repeat has no second effect. */
export function resendText(what: 'answer' | 'message'): string {
  return `Can't reach Parley, so your ${what} may not have been sent. It's saved here; try again when you're back online. It only counts once.`;
}

/** Reuses the key for an identical body, so that a repeated send has one effect. Any other body is a new attempt. */
export function reuseOrCreateAttempt(previous: SubmitAttempt | undefined, body: object): SubmitAttempt {
  const text = JSON.stringify(body);
  return previous?.body === text ? previous : { body: text, key: generateIdempotencyKey() };
}
