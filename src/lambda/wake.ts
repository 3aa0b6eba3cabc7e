import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { Log } from '#log';

/** Calls the function of that name, and does not wait for what it does. */
export type Invoke = (name: string) => Promise<unknown>;

/** A worker stays for longer than this when it finds nothing to do, so whoever comes this soon after is served by the same. */
const ENOUGH_MS = 500;

/** Requests that leave nothing behind for a worker. */
const LOOKS = ['GET', 'HEAD', 'OPTIONS'];
const NO_WORKER = 503;

/** Whether somebody has to go on with what this request began, or was missed by it. */
export function leavesWork(method: string, path: string, status: number): boolean {
  if (status === NO_WORKER) return true;
  return status < 400 && !LOOKS.includes(method) && !/^\/(codec|v1\/session)(\/|$)/.test(path);
}

/** Has a worker run, where nobody else sees to it. What cannot be woken now is found by the schedule. */
export function createWaker(name: string | undefined, log: Log, invoke: Invoke = byLambda) {
  let wokenAt = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    if (!name || Date.now() - wokenAt < ENOUGH_MS) return;
    wokenAt = Date.now();
    try {
      await invoke(name);
    } catch (error) {
      wokenAt = Number.NEGATIVE_INFINITY;
      log.warn(
        { worker: name, error: (error as Error).message },
        'the worker could not be woken: what waits is taken up when the schedule wakes it',
      );
    }
  };
}

/** Somebody waits for the response: the schedule is sooner than an AWS that does not answer. */
const PATIENCE = { connectionTimeout: 1_000, requestTimeout: 3_000 };
let client: LambdaClient | undefined;

/** Loaded when it is first needed: a request that only reads starts without. */
async function byLambda(name: string): Promise<void> {
  const aws = await import('@aws-sdk/client-lambda');
  client ??= new aws.LambdaClient({ maxAttempts: 2, requestHandler: PATIENCE });
  await client.send(new aws.InvokeCommand({ FunctionName: name, InvocationType: 'Event' }));
}
