import type { Config } from '#config';
import { GRPC, grpcOf } from './grpc';

/** What a person at a terminal can do about it, where Temporal is the trouble; else the error as it is. */
export function troubleOf(
  error: unknown,
  { address = '127.0.0.1:7233', namespace }: Config['temporal'],
): Error {
  const { code, details } = grpcOf(error);
  const said = details.replace(/\.$/, '');
  switch (code) {
    case GRPC.UNAVAILABLE:
    case GRPC.DEADLINE_EXCEEDED:
    case GRPC.CANCELLED:
      return new Error(`Temporal cannot be reached at ${address}: ${said}. Check TEMPORAL_ADDRESS.`);
    case GRPC.PERMISSION_DENIED:
    case GRPC.UNAUTHENTICATED:
      return new Error(`Temporal at ${address} refused: ${said}. Check the TEMPORAL_* variables.`);
    case GRPC.UNIMPLEMENTED:
      return new Error(
        `The Temporal server at ${address} knows no worker deployments: they need version 1.29.1 or later. Update it, or run workers without PARLEY_BUILD_ID.`,
      );
    case GRPC.NOT_FOUND:
      if (/namespace/i.test(said))
        return new Error(`There is no namespace ${namespace} at ${address}. Check TEMPORAL_NAMESPACE.`);
      break;
  }
  if (code !== undefined) return new Error(`Temporal at ${address} refused: ${said}.`);
  return error as Error;
}
