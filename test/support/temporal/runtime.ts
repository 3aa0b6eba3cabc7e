import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import { createLog, type Log } from '#infra/log';
import {
  coreLoggingOptions,
  createTemporalLogHandler,
  installTemporalRuntime,
  type TemporalRuntimeOptions,
} from '#worker/temporal-runtime';

const discardLines = createTemporalLogHandler(createLog(process.env.PARLEY_TEST_LOG ?? 'silent'));
let handleLogEntry: (entry: LogEntry) => void = discardLines;

/**
 * Temporal's runtime, which a process has once: before a worker starts in it, and not without one, as it keeps the process
 * alive. Lines go to the log that was given last. Call the result to have them nowhere again.
 */
export function installTestRuntime(
  log?: Log,
  { metricsBuffer: buffer, countMissingKey: countMissing }: TemporalRuntimeOptions = {},
): () => void {
  if (log) handleLogEntry = createTemporalLogHandler(log, countMissing);
  // It is gone with its last worker, so whether it is there is for the SDK to say.
  if (!(Runtime as unknown as { _instance?: Runtime })._instance)
    Runtime.install({
      logger: new DefaultLogger('WARN', (entry) => handleLogEntry(entry)),
      shutdownSignals: [],
      telemetryOptions: { logging: coreLoggingOptions, ...(buffer && { metrics: { buffer } }) },
    });
  return () => {
    handleLogEntry = discardLines;
  };
}

/**
 * Runs `start` with a runtime of Temporal's of its own, and gives the process its usual one back. What starts meanwhile
 * keeps it: a worker stays with the runtime it was made by. For a test that reads the SDK's metrics, which the runtime of
 * the process does not collect.
 */
export async function withSeparateRuntime<T>(options: TemporalRuntimeOptions, start: () => Promise<T>): Promise<T> {
  const runtimes = Runtime as unknown as { _instance?: Runtime; defaultOptions: object };
  const { _instance: usualRuntime, defaultOptions } = runtimes;
  delete runtimes._instance;
  installTemporalRuntime(createLog('silent'), options);
  try {
    return await start();
  } finally {
    runtimes._instance = usualRuntime;
    runtimes.defaultOptions = defaultOptions;
  }
}
