import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { proxySinks, type Sinks, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { sha256Digest } from '#core/digest';
import { TRACEPARENT_PATTERN, TRACER_HEADER, traceparentFromHeaders } from '#core/trace-context';

/** A workflow task's span; what it causes carries `traceparent`. */
export interface TaskSpan {
  name: string;
  parent: string;
  traceparent: string;
  at: number;
}

/** Adds no event or command. */
export interface TracingSinks extends Sinks {
  traces: { recordTask(taken: TaskSpan): void };
}

/**
 * Propagates trace context from a start or signal to the activities it causes. Part of every bundle, since it adds no
 * command and draws no random number: conversations can move between workers with and without tracing.
 */
export function interceptors(): WorkflowInterceptors {
  const { traces } = proxySinks<TracingSinks>();
  let cause: string | undefined;
  let taskCount = 0;
  const beginTask = (name: string, headers: Headers) => {
    const parent = traceparentFromHeaders(headers);
    cause = parent;
    if (!parent) return;
    taskCount += 1;
    const [, traceId, flags] = TRACEPARENT_PATTERN.exec(parent) ?? [];
    // Not random: a number drawn here would change all later ones of the conversation.
    const spanId = sha256Digest([workflowInfo().runId, taskCount]).slice(7, 23);
    cause = `00-${traceId}-${spanId}-${flags}`;
    traces.recordTask({ name, parent, traceparent: cause, at: Date.now() });
  };
  const withCause = <T extends { headers: Headers }>(input: T): T =>
    cause
      ? {
          ...input,
          headers: {
            ...input.headers,
            [TRACER_HEADER]: defaultPayloadConverter.toPayload({ traceparent: cause }),
          },
        }
      : input;
  return {
    inbound: [
      {
        execute(input, next) {
          beginTask(workflowInfo().workflowType, input.headers);
          return next(input);
        },
        handleSignal(input, next) {
          beginTask(input.signalName, input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withCause(input)),
        startChildWorkflowExecution: (input, next) => next(withCause(input)),
        continueAsNew: (input, next) => next(withCause(input)),
      },
    ],
  };
}
