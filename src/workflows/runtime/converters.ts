import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type Payload,
  type PayloadConverter,
} from '@temporalio/common';

/**
 * Reads undecodable payloads as `undefined`. Any client may signal: one that threw here would fail the workflow task
 * forever and block every later answer.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload<T>(payload: Payload): T {
    try {
      return defaultPayloadConverter.fromPayload(payload);
    } catch {
      return undefined as T;
    }
  },
};

/** Writes failure messages and stacks as payloads, so that they are encrypted too. Reads both forms. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
