import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import { coreLogging, createLog, type Log, type RuntimeParts, temporalLines } from '#log';

const quiet = temporalLines(createLog(process.env.PARLEY_TEST_LOG ?? 'silent'));
let lines: (entry: LogEntry) => void = quiet;

/**
 * Temporal's runtime, which a process has once: before a worker starts in it, and not without one, as it keeps the process
 * alive. Lines go to the log that was given last. Call the result to have them nowhere again.
 */
export function installOnce(log?: Log, { buffer, countMissing }: RuntimeParts = {}): () => void {
  if (log) lines = temporalLines(log, countMissing);
  // It is gone with its last worker, so whether it is there is for the SDK to say.
  if (!(Runtime as unknown as { _instance?: Runtime })._instance)
    Runtime.install({
      logger: new DefaultLogger('WARN', (entry) => lines(entry)),
      shutdownSignals: [],
      telemetryOptions: { logging: coreLogging, ...(buffer && { metrics: { buffer } }) },
    });
  return () => {
    lines = quiet;
  };
}
