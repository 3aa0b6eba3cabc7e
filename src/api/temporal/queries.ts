import { ApiError } from '#api/middleware/errors';
import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { isRetryableQueryError } from '#workflows/messages';
import { isExecutionNotFound } from './errors';
import type { Execution } from './execution';
import type { WorkerPresence, WorkerWait } from './worker-presence';

/** One query of a kind at a time for each conversation: a run buffers only one while a task is pending. */
export function createQueryClient(attendance: WorkerPresence, look: (run: Execution) => Promise<Execution>) {
  const underWay = new Map<string, Promise<unknown>>();
  return async <T>(run: Execution, name: string, ask: () => Promise<T>): Promise<T> => {
    const waiting = await attendance.begin();
    if (!waiting) throw nobodyThere();
    const key = `${name} ${run.runId}`;
    const asked = underWay.get(key) ?? heard(waiting, ask, () => look(run)).finally(() => underWay.delete(key));
    underWay.set(key, asked);
    try {
      return (await asked) as T;
    } catch (error) {
      if (isExecutionNotFound(error)) throw error;
      const why =
        'No worker could read this conversation in time: none is running, or it has trouble with it, which its log tells. Try again in a moment.';
      throw Object.assign(new ApiError('worker_unavailable', why), { cause: error });
    }
  };
}

/** A worker was there, and refused to read it, also when asked again. */
export function isNotReplayable(error: unknown): boolean {
  return error instanceof ApiError && isRetryableQueryError(error.cause);
}

async function heard<T>(waiting: WorkerWait, ask: () => Promise<T>, look: () => Promise<Execution>): Promise<T> {
  try {
    const told = await ask();
    waiting.met();
    return told;
  } catch (error) {
    if (findGrpcError(error).code === GRPC_STATUS.DEADLINE_EXCEEDED && !(await isBusy(look))) waiting.missed();
    throw error;
  }
}

/** A worker is at it, and stuck with it maybe: that says nothing of the others. In doubt, too. */
async function isBusy(look: () => Promise<Execution>): Promise<boolean> {
  const run = await look().catch(() => undefined);
  return run ? run.isUntaken === false : true;
}

function nobodyThere(): ApiError {
  return new ApiError(
    'worker_unavailable',
    'No worker is running that could read this conversation. Start one (`npm run worker`) and try again.',
  );
}
