import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';

/** What to throw when told to stop: a cancelled conversation ends here, a stopping worker leaves the work to another. */
export async function stopped(context: Context): Promise<Error> {
  const reason = await context.cancelled.catch((error: unknown) => error);
  if (context.cancellationDetails?.workerShutdown) {
    return ApplicationFailure.retryable('The worker was stopped; another one goes on.', 'worker_stopped');
  }
  return reason instanceof Error ? reason : new CancelledFailure('cancelled');
}
