import type { ClientInterceptors } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { extractConversationId } from '#contract/conversation';
import { TRACER_HEADER, traceparentFromHeaders } from '#core/trace-context';
import type { Tracing } from '#infra/telemetry/tracing';

/** Adds the trace context to the headers of starts and signals, as Temporal's own SDKs do. */
export function createClientTracingInterceptors(tracing: Tracing): ClientInterceptors {
  const traced = <I extends { headers: Headers }, T>(
    name: string,
    id: string | undefined,
    input: I,
    next: (input: I) => Promise<T>,
  ) =>
    tracing.run({ name, kind: 'client', attributes: id ? { 'parley.conversation': id } : {} }, ({ traceparent }) =>
      next({
        ...input,
        headers: { ...input.headers, [TRACER_HEADER]: defaultPayloadConverter.toPayload({ traceparent }) },
      }),
    );
  return {
    workflow: [
      {
        startWithDetails: (input, next) => traced(`start ${input.workflowType}`, input.options.workflowId, input, next),
        signal: (input, next) => traced(`signal ${input.signalName}`, input.workflowExecution.workflowId, input, next),
        signalWithStart: (input, next) => traced(`signal ${input.signalName}`, input.options.workflowId, input, next),
      },
    ],
  };
}

/** Records a span for each activity attempt, with the parent from the headers, if any. */
export function createActivityTracingInterceptor(tracing: Tracing): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute(input, next) {
        const attributes = {
          'parley.conversation': extractConversationId(info.workflowExecution?.workflowId ?? ''),
          'temporal.attempt': info.attempt,
        };
        const parent = traceparentFromHeaders(input.headers);
        return tracing.run({ name: `activity ${info.activityType}`, kind: 'internal', parent, attributes }, () =>
          next(input),
        );
      },
    },
    outbound: {
      getLogAttributes(input, next) {
        const span = tracing.current();
        return next(span ? { ...input, traceId: span.traceId } : input);
      },
    },
  });
}
