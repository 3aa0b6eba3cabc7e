import { DefaultLogger, Runtime } from '@temporalio/worker';
import pino from 'pino';

export type Log = pino.Logger;

/** JSON lines on stderr: stdout is for what a person asked to see. */
export function createLog(level = 'info'): Log {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/** Once a process, before its first worker: Temporal's own lines among ours, and signals left to us. */
export function installRuntime(log: Log): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message);
  });
  // Core warns of each activity that was cancelled with its conversation; that is no news.
  const filter = { core: 'ERROR', other: 'ERROR' } as const;
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging: { filter, forward: {} } } });
}
