import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { OutcomeUnknownError } from '#infra/temporal/sent-writes';

/** No worker answered a query in time. */
export class WorkerUnavailableError extends Error {}

interface UnavailabilityProblem {
  code: 'worker_unavailable' | 'temporal_unavailable' | 'outcome_unknown';
  detail: string;
}

/** Describes a failure of Temporal or of the workers; undefined for any other error. */
export function findUnavailability(error: unknown): UnavailabilityProblem | undefined {
  if (error instanceof WorkerUnavailableError) return { code: 'worker_unavailable', detail: error.message };
  if (error instanceof OutcomeUnknownError) return { code: 'outcome_unknown', detail: OUTCOME_UNKNOWN_DETAIL };
  const detail = describeTemporalError(error);
  return detail === undefined ? undefined : { code: 'temporal_unavailable', detail };
}

const OUTCOME_UNKNOWN_DETAIL =
  'Temporal did not respond in time. The request may have been accepted: retry with the same Idempotency-Key.';

/** Describes Temporal's errors for a caller who does not know Temporal. */
function describeTemporalError(error: unknown): string | undefined {
  const { code, details } = toNamespaceNotFound(error) ?? findGrpcError(error);
  if (isSignalLimit(error))
    return 'This conversation has received too many messages at once. Retry when the agent has caught up.';
  if (isSearchAttributeMissing(error)) return "Temporal does not know Parley's search attributes yet. Retry shortly.";
  switch (code) {
    case GRPC_STATUS.DEADLINE_EXCEEDED:
      return 'Temporal did not respond in time, so nothing was accepted. Retry shortly.';
    case GRPC_STATUS.CANCELLED:
    case GRPC_STATUS.UNAVAILABLE:
      return "Can't reach Temporal, so nothing was accepted. Retry shortly.";
    case GRPC_STATUS.RESOURCE_EXHAUSTED:
      return 'Temporal is overloaded, so nothing was accepted. Retry shortly.';
    case GRPC_STATUS.NOT_FOUND:
    case GRPC_STATUS.PERMISSION_DENIED:
    case GRPC_STATUS.UNAUTHENTICATED:
      return `Temporal rejected the call: ${details.replace(/\.$/, '')}. Check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_*.`;
    default:
      return undefined;
  }
}

/** Restores the gRPC code, which the SDK drops. */
function toNamespaceNotFound(error: unknown): { code: number; details: string } | undefined {
  const isMissing = error instanceof Error && error.name === 'NamespaceNotFoundError';
  return isMissing ? { code: GRPC_STATUS.NOT_FOUND, details: error.message } : undefined;
}

/**
 * Returns whether a search attribute is unknown: briefly after registration, or permanently if it could not be
 * registered.
 */
function isSearchAttributeMissing(error: unknown): boolean {
  const { code, details } = findGrpcError(error);
  return (
    code === GRPC_STATUS.INVALID_ARGUMENT &&
    /Parley(Status|Agent|Root|ExpiresAt|Audience)/.test(details) &&
    !/limit/i.test(details)
  );
}

/** Returns whether a run has reached Temporal's limit of signals. It continues as new as soon as it can. */
export function isSignalLimit(error: unknown): boolean {
  const { code, details } = findGrpcError(error);
  return code === GRPC_STATUS.INVALID_ARGUMENT && /limit/i.test(details) && /signal/i.test(details);
}

export function isTemporalUnavailable(error: unknown): boolean {
  const { code } = findGrpcError(error);
  return (
    code === GRPC_STATUS.CANCELLED ||
    code === GRPC_STATUS.DEADLINE_EXCEEDED ||
    code === GRPC_STATUS.UNAVAILABLE ||
    code === GRPC_STATUS.RESOURCE_EXHAUSTED
  );
}

/** Returns whether the workflow does not exist or no longer runs. A missing namespace is a different error. */
export function isExecutionNotFound(error: unknown): boolean {
  if ((error as Error)?.name === 'WorkflowNotFoundError') return true;
  const { code, details } = findGrpcError(error);
  return code === GRPC_STATUS.NOT_FOUND && !/namespace/i.test(details);
}
