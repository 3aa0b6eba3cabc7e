import { GRPC, grpcOf } from '#temporal/grpc';

/** What Temporal's refusals mean to somebody who knows nothing of it. */
export function troubleOf(error: unknown): string | undefined {
  const { code, details } = namespaceMissing(error) ?? grpcOf(error);
  if (isFull(error))
    return 'This conversation has been sent too much at once. Try again when the agent has caught up.';
  if (isUnregistered(error))
    return "Temporal does not know Parley's search attributes yet. Try again in a moment.";
  switch (code) {
    case GRPC.DEADLINE_EXCEEDED:
      return 'Temporal did not answer in time. What was sent may have been taken: try again, with the same Idempotency-Key to be sure.';
    case GRPC.CANCELLED:
    case GRPC.UNAVAILABLE:
      return 'Temporal cannot be reached, so nothing was accepted. Try again in a moment.';
    case GRPC.RESOURCE_EXHAUSTED:
      return 'Temporal is overloaded, so nothing was accepted. Try again in a moment.';
    case GRPC.NOT_FOUND:
    case GRPC.PERMISSION_DENIED:
    case GRPC.UNAUTHENTICATED:
      return `Temporal refused: ${details.replace(/\.$/, '')}. Check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_*.`;
    default:
      return undefined;
  }
}

/** It came too late to say what became of what was sent. */
export function mayBeTaken(error: unknown): boolean {
  return grpcOf(error).code === GRPC.DEADLINE_EXCEEDED;
}

/** The SDK drops the code it came with. */
function namespaceMissing(error: unknown): { code: number; details: string } | undefined {
  const isMissing = error instanceof Error && error.name === 'NamespaceNotFoundError';
  return isMissing ? { code: GRPC.NOT_FOUND, details: error.message } : undefined;
}

/** For a moment after they were registered, and for good where nobody may register them. */
function isUnregistered(error: unknown): boolean {
  const { code, details } = grpcOf(error);
  return (
    code === GRPC.INVALID_ARGUMENT &&
    /Parley(Status|Agent|Root|ExpiresAt|Audience)/.test(details) &&
    !/limit/i.test(details)
  );
}

/** A run takes in so many signals and no more; it rolls over as soon as it can. */
export function isFull(error: unknown): boolean {
  const { code, details } = grpcOf(error);
  return code === GRPC.INVALID_ARGUMENT && /limit/i.test(details) && /signal/i.test(details);
}

export function isTemporalDown(error: unknown): boolean {
  const { code } = grpcOf(error);
  return (
    code === GRPC.CANCELLED ||
    code === GRPC.DEADLINE_EXCEEDED ||
    code === GRPC.UNAVAILABLE ||
    code === GRPC.RESOURCE_EXHAUSTED
  );
}

/** No such workflow, or none that still runs; a namespace that is not there is another matter. */
export function isNotFound(error: unknown): boolean {
  if ((error as Error)?.name === 'WorkflowNotFoundError') return true;
  const { code, details } = grpcOf(error);
  return code === GRPC.NOT_FOUND && !/namespace/i.test(details);
}
