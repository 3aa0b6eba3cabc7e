import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type Payload,
  type PayloadConverter,
} from '@temporalio/common';

/**
 * Reads what cannot be read as nothing. Anybody may signal, with any payload: one that throws here would fail the
 * workflow's task for ever, and every good answer behind it.
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

/** Writes messages and stacks as payloads, so that they are encrypted with the rest. It reads either. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
