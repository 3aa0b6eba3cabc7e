import { Runtime } from '@temporalio/worker';
import { createLog, installRuntime, type RuntimeParts } from '#log';

/**
 * Runs `start` with a runtime of Temporal's of its own, and gives the process its usual one back. What starts meanwhile
 * keeps it: a worker stays with the runtime it was made by. For a test that reads the SDK's metrics, which the runtime of
 * the process does not collect.
 */
export async function withOwnRuntime<T>(parts: RuntimeParts, start: () => Promise<T>): Promise<T> {
  const runtimes = Runtime as unknown as { _instance?: Runtime; defaultOptions: object };
  const { _instance: usual, defaultOptions } = runtimes;
  delete runtimes._instance;
  installRuntime(createLog('silent'), parts);
  try {
    return await start();
  } finally {
    runtimes._instance = usual;
    runtimes.defaultOptions = defaultOptions;
  }
}
