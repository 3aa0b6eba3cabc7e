import pino from 'pino';
import { findEncryptionKeyError } from './crypto/aes-gcm';
import { createThrottle } from './throttle';

export type Log = pino.Logger;

/** Logs JSON lines to stderr: stdout is for output that the user asked for. */
export function createLog(level = 'info'): Log {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/** Logs the key ids at startup, never the keys. */
export function logEncryptionStatus(log: Log, keys: readonly { id: string }[] | undefined): void {
  if (!keys) return;
  const [activeKeyId, ...decryptOnlyKeyIds] = keys.map(({ id }) => id);
  log.info({ encryptsWith: activeKeyId, alsoReads: decryptOnlyKeyIds }, 'payloads are encrypted');
}

/** Creates a reporter for missing encryption keys, throttled per key. It returns whether it was such an error. */
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
