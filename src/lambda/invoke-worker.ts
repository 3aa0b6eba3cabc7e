import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { Log } from '#infra/log';

export type InvokeFunction = (functionName: string) => Promise<unknown>;

/** An idle worker runs for longer than this, so it also handles requests that follow so soon. */
const MIN_INTERVAL_MS = 500;

const READ_METHODS = ['GET', 'HEAD', 'OPTIONS'];
const NO_WORKER_STATUS = 503;

/** Whether a request created work for a worker, or failed for lack of one. */
export function isWorkerNeeded(method: string, path: string, status: number): boolean {
  if (status === NO_WORKER_STATUS) return true;
  return status < 400 && !READ_METHODS.includes(method) && !/^\/(codec|v1\/session)(\/|$)/.test(path);
}

/** Returns a function that invokes the worker, if one is configured. If that fails, the schedule starts one later. */
export function createWorkerInvoker(functionName: string | undefined, log: Log, invoke: InvokeFunction = invokeByAws) {
  let invokedAt = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    if (!functionName || Date.now() - invokedAt < MIN_INTERVAL_MS) return;
    invokedAt = Date.now();
    try {
      await invoke(functionName);
    } catch (error) {
      invokedAt = Number.NEGATIVE_INFINITY;
      log.warn(
        { worker: functionName, error: (error as Error).message },
        "Can't invoke the worker. Waiting work is processed when its schedule invokes it.",
      );
    }
  };
}

/** Kept short as a caller is waiting: if AWS is slow, the schedule starts a worker. */
const AWS_TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000 };
let lambdaClient: LambdaClient | undefined;

/** Loads the SDK on first use, so that a request that only reads starts without it. */
async function invokeByAws(functionName: string): Promise<void> {
  const aws = await import('@aws-sdk/client-lambda');
  lambdaClient ??= new aws.LambdaClient({ maxAttempts: 2, requestHandler: AWS_TIMEOUTS });
  await lambdaClient.send(new aws.InvokeCommand({ FunctionName: functionName, InvocationType: 'Event' }));
}
