import { defaultPayloadConverter, type Headers } from '@temporalio/common';

/** The header in which all Temporal SDKs carry trace context. */
export const TRACER_HEADER = '_tracer-data';

export const TRACEPARENT_PATTERN = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/;

/** Never throws: a signal may carry any header. */
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
