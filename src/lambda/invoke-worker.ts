import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { Log } from '#infra/log';

/** Invokes a Lambda function asynchronously. */
export type InvokeFunction = (functionName: string) => Promise<unknown>;

/** A worker stays for longer than this when it finds nothing to do, so whoever comes this soon after is served by the same. */
const MIN_INTERVAL_MS = 500;

/** Requests that leave nothing behind for a worker. */
const READ_METHODS = ['GET', 'HEAD', 'OPTIONS'];
const NO_WORKER_STATUS = 503;

/** Whether somebody has to go on with what this request began, or was missed by it. */
export function isWorkerNeeded(method: string, path: string, status: number): boolean {
  if (status === NO_WORKER_STATUS) return true;
  return status < 400 && !READ_METHODS.includes(method) && !/^\/(codec|v1\/session)(\/|$)/.test(path);
}

/** Starts a worker if there is a function for it. If that fails, the schedule starts one later. */
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
        'the worker could not be woken: what waits is taken up when the schedule wakes it',
      );
    }
  };
}

/** Somebody waits for the response: the schedule is sooner than an AWS that does not answer. */
const AWS_TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000 };
let lambdaClient: LambdaClient | undefined;

/** Loaded when it is first needed: a request that only reads starts without. */
async function invokeByAws(functionName: string): Promise<void> {
  const aws = await import('@aws-sdk/client-lambda');
  lambdaClient ??= new aws.LambdaClient({ maxAttempts: 2, requestHandler: AWS_TIMEOUTS });
  await lambdaClient.send(new aws.InvokeCommand({ FunctionName: functionName, InvocationType: 'Event' }));
}
