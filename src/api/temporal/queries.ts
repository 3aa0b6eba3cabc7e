import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { isRetryableQueryError } from '#workflows/messages';
import { isExecutionNotFound, WorkerUnavailableError } from './errors';
import type { Execution } from './execution';
import type { WorkerPresence, WorkerWait } from './worker-presence';

/** One query of a kind at a time for each conversation: a run buffers only one while a task is pending. */
export function createQueryClient(workerPresence: WorkerPresence, describe: (run: Execution) => Promise<Execution>) {
  const inFlight = new Map<string, Promise<unknown>>();
  return async <T>(run: Execution, name: string, query: () => Promise<T>): Promise<T> => {
    const workerWait = await workerPresence.expectWorker();
    if (!workerWait) throw noWorkerError();
    const key = `${name} ${run.runId}`;
    const pending =
      inFlight.get(key) ?? sendQuery(workerWait, query, () => describe(run)).finally(() => inFlight.delete(key));
    inFlight.set(key, pending);
    try {
      return (await pending) as T;
    } catch (error) {
      if (isExecutionNotFound(error)) throw error;
      const detail =
        'No worker could read this conversation in time: none is running, or it has trouble with it, which its log tells. Try again in a moment.';
      throw new WorkerUnavailableError(detail, { cause: error });
    }
  };
}

/** A worker was there, and refused to read it, also when asked again. */
export function isNotReplayable(error: unknown): boolean {
  return error instanceof WorkerUnavailableError && isRetryableQueryError(error.cause);
}

async function sendQuery<T>(
  workerWait: WorkerWait,
  query: () => Promise<T>,
  describe: () => Promise<Execution>,
): Promise<T> {
  try {
    const result = await query();
    workerWait.seen();
    return result;
  } catch (error) {
    if (findGrpcError(error).code === GRPC_STATUS.DEADLINE_EXCEEDED && !(await isTaskClaimed(describe)))
      workerWait.missed();
    throw error;
  }
}

/** Whether a worker has claimed the task and may be stuck with it, which says nothing about other workers. True if unknown. */
async function isTaskClaimed(describe: () => Promise<Execution>): Promise<boolean> {
  const run = await describe().catch(() => undefined);
  return run ? run.isTaskUnclaimed === false : true;
}

function noWorkerError(): WorkerUnavailableError {
  return new WorkerUnavailableError(
    'No worker is running that could read this conversation. Start one (`npm run worker`) and try again.',
  );
}
