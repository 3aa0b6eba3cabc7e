import pino from 'pino';
import { findEncryptionKeyError } from './crypto/encryption';
import { createThrottle } from './throttle';

export type Log = pino.Logger;

/** JSON lines on stderr: stdout is for what a person asked to see. */
export function createLog(level = 'info'): Log {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/** Said once at the start: with which key, and never the key itself. */
export function logEncryptionStatus(log: Log, keys: readonly { id: string }[] | undefined): void {
  if (!keys) return;
  const [first, ...others] = keys.map(({ id }) => id);
  log.info({ encryptsWith: first, alsoReads: others }, 'payloads are encrypted');
}

/** Whether it is about a key that is missing: then that is said, but not for each conversation that needs it at each attempt. */
export function createMissingKeyReporter(log: Log, count: () => void = () => undefined): (error: unknown) => boolean {
  const rarely = createThrottle();
  return (error) => {
    const missing = findEncryptionKeyError(error);
    if (!missing) return false;
    count();
    rarely(missing.message, () => log.error({ encryptionKey: missing.keyId }, missing.message));
    return true;
  };
}
