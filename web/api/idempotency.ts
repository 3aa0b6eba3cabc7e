import { generateIdempotencyKey } from '#client/request';

/** What was last sent, and the key it went with. */
export interface SubmitAttempt {
  body: string;
  key: string;
}

/** The same sent again goes with the same key, so that it has one effect; anything else is a new attempt. */
export function reuseOrCreateAttempt(previous: SubmitAttempt | undefined, body: object): SubmitAttempt {
  const text = JSON.stringify(body);
  return previous?.body === text ? previous : { body: text, key: generateIdempotencyKey() };
}
