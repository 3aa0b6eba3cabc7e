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
 * Installs Temporal's runtime, once per process. Only call it before a worker starts, as a runtime without workers
 * keeps the process alive. Log lines go to the most recent log; the returned function stops that.
 */
export function installTestRuntime(
  log?: Log,
  { exporter: metrics, countMissingKey: countMissing }: TemporalRuntimeOptions = {},
): () => void {
  if (log) handleLogEntry = createTemporalLogHandler(log, countMissing);
  // The runtime goes away with its last worker, so ask the SDK whether it exists.
  if (!(Runtime as unknown as { _instance?: Runtime })._instance)
    Runtime.install({
      logger: new DefaultLogger('WARN', (entry) => handleLogEntry(entry)),
      shutdownSignals: [],
      telemetryOptions: { logging: coreLoggingOptions, ...(metrics && { metrics }) },
    });
  return () => {
    handleLogEntry = discardLines;
  };
}

/**
 * Runs `start` with a separate Temporal runtime, then restores the process's usual one. Workers keep the runtime that
 * they were created with. For tests that read the SDK's metrics, which the usual runtime does not collect.
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
