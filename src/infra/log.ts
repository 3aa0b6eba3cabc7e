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
  const [activeKeyId, ...decryptOnlyKeyIds] = keys.map(({ id }) => id);
  log.info({ encryptsWith: activeKeyId, alsoReads: decryptOnlyKeyIds }, 'payloads are encrypted');
}

/** Reports errors about a missing encryption key, throttled per key. Returns whether the error was one. */
export function createMissingKeyReporter(
  log: Log,
  onMissingKey: () => void = () => undefined,
): (error: unknown) => boolean {
  const throttled = createThrottle();
  return (error) => {
    const keyError = findEncryptionKeyError(error);
    if (!keyError) return false;
    onMissingKey();
    throttled(keyError.message, () => log.error({ encryptionKey: keyError.keyId }, keyError.message));
    return true;
  };
}
