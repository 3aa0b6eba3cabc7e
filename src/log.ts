import { DefaultLogger, type Logger } from '@temporalio/worker';
import pino from 'pino';

export type Log = pino.Logger;

/** JSON lines on stderr: stdout is for what a person asked to see. */
export function createLog(level = process.env.LOG_LEVEL || 'info'): Log {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/** Temporal's own lines among ours, warnings and up. */
export function temporalLogger(log: Log): Logger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message);
  });
}
