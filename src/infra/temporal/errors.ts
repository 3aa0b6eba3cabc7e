import { isGrpcServiceError } from '@temporalio/client';
import type { Config } from '#infra/config';

export const GRPC_STATUS = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** Finds Temporal's gRPC error within the SDK's wrappers. */
export function findGrpcError(error: unknown): { code?: number; details: string } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return cause;
  }
  return { details: '' };
}

/** Turns a Temporal error into advice for a user at a terminal. Returns other errors unchanged. */
export function explainTemporalError(error: unknown, { address = '127.0.0.1:7233', namespace }: Config['temporal']) {
  const { code, details } = findGrpcError(error);
  const message = details.replace(/\.$/, '');
  switch (code) {
    case GRPC_STATUS.UNAVAILABLE:
    case GRPC_STATUS.DEADLINE_EXCEEDED:
    case GRPC_STATUS.CANCELLED:
      return new Error(`Can't reach Temporal at ${address}: ${message}. Check TEMPORAL_ADDRESS.`);
    case GRPC_STATUS.PERMISSION_DENIED:
    case GRPC_STATUS.UNAUTHENTICATED:
      return new Error(`Temporal at ${address} refused: ${message}. Check the TEMPORAL_* variables.`);
    case GRPC_STATUS.UNIMPLEMENTED:
      return new Error(
        `The Temporal server at ${address} does not support worker deployments, which need version 1.29.1 or later. Update it, or run workers without PARLEY_BUILD_ID.`,
      );
    case GRPC_STATUS.NOT_FOUND:
      if (/namespace/i.test(message))
        return new Error(`Namespace ${namespace} not found at ${address}. Check TEMPORAL_NAMESPACE.`);
      break;
  }
  if (code !== undefined) return new Error(`Temporal at ${address} refused: ${message}.`);
  return error as Error;
}

const MAX_REASON_LENGTH = 300;

/** Extracts why a task failed, in one line. The SDK adds its own text and a dump of the failure. */
export function extractTaskFailureReason(rawMessage: string): string {
  const message = rawMessage.replace(/\\"/g, '"').replace(/\\n/g, ' ');
  const [, reason] =
    /Nondeterminism error: (.*?)(?:", source:|", stack_trace:|$)/s.exec(message) ??
    /Failure \{ failure: Some\(Failure \{ message: "(.*?)", source:/s.exec(message) ??
    /Details: (.*)$/s.exec(message) ??
    [];
  const line = (reason ?? message).replace(/\s+/g, ' ').trim();
  return line.length > MAX_REASON_LENGTH ? `${line.slice(0, MAX_REASON_LENGTH)}…` : line;
}
