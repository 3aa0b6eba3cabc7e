import { defaultPayloadConverter, type Headers } from '@temporalio/common';

/** Where Temporal's SDKs carry what caused a call, whichever language they are of. */
export const TRACER_HEADER = '_tracer-data';

export const TRACEPARENT_PATTERN = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/;

/** Anybody may signal, with anything: nothing here may throw. */
export function traceparentFromHeaders(headers: Headers | undefined): string | undefined {
  try {
    const payload = headers?.[TRACER_HEADER];
    const carried = payload && defaultPayloadConverter.fromPayload<{ traceparent?: unknown } | null>(payload);
    const traceparent = carried?.traceparent;
    return typeof traceparent === 'string' && TRACEPARENT_PATTERN.test(traceparent) ? traceparent : undefined;
  } catch {
    return undefined;
  }
}
