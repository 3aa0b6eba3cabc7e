import { generateIdempotencyKey } from '#client/request';

/** The last request body that was sent, and its idempotency key. */
export interface SubmitAttempt {
  body: string;
  key: string;
}

/** Reuses the key for an identical body, so that a repeated send has one effect. Any other body is a new attempt. */
export function reuseOrCreateAttempt(previous: SubmitAttempt | undefined, body: object): SubmitAttempt {
  const text = JSON.stringify(body);
  return previous?.body === text ? previous : { body: text, key: generateIdempotencyKey() };
}
