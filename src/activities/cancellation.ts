import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';

/**
 * The error to throw when an activity is cancelled: a cancelled conversation ends it, a stopping worker leaves it to
 * another.
 */
export async function toCancellationError(context: Context): Promise<Error> {
  const reason = await context.cancelled.catch((error: unknown) => error);
  if (context.cancellationDetails?.workerShutdown) {
    return ApplicationFailure.retryable('The worker was stopped; another worker continues.', 'worker_stopped');
  }
  return reason instanceof Error ? reason : new CancelledFailure('cancelled');
}
