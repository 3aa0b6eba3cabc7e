import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import pino from 'pino';
import { createRarely } from './activities/rarely';
import { keyErrorIn } from './sealing/key-error';

export type Log = pino.Logger;

/** JSON lines on stderr: stdout is for what a person asked to see. */
export function createLog(level = 'info'): Log {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/** Said once at the start: with which key, and never the key itself. */
export function sayEncryption(log: Log, keys: readonly { id: string }[] | undefined): void {
  if (!keys) return;
  const [first, ...others] = keys.map(({ id }) => id);
  log.info({ encryptsWith: first, alsoReads: others }, 'payloads are encrypted');
}

const WITHOUT = {
  PARLEY_STORAGE: 'large results and old entries are not kept',
  PARLEY_EXPORTS: 'conversations that end are not written down, and tried again later',
};

/** Found out at the start and not with the first conversation. Nothing waits for it: what is away may come back. */
export function sayUnusable(
  log: Log,
  variable: keyof typeof WITHOUT,
  trial: Promise<unknown> | undefined,
  unwanted: AbortSignal,
): void {
  trial?.catch((error: Error) => {
    if (unwanted.aborted) return;
    log.warn(
      { variable },
      `${variable} cannot be used: ${error.message} Until it can, ${WITHOUT[variable]}.`,
    );
  });
}

/** Failures of activities that have said so themselves, in words. */
const SAID = ['not_sent', 'undeliverable', 'gone', 'not_kept'];

/** Temporal's own lines among ours. */
export function temporalLines(log: Log): (entry: LogEntry) => void {
  const sayMissing = keyTeller(log);
  return ({ level, message, meta }) => {
    if (sayMissing(meta?.error)) return;
    const { type } = (meta?.error ?? {}) as { type?: string };
    if (message === 'Activity failed' && SAID.includes(type ?? '')) return;
    log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message);
  };
}

/** Whether it is about a key that is missing: then that is said, but not for each conversation that needs it at each attempt. */
export function keyTeller(log: Log): (error: unknown) => boolean {
  const rarely = createRarely();
  return (error) => {
    const missing = keyErrorIn(error);
    if (!missing) return false;
    rarely(missing.message, () => log.error({ encryptionKey: missing.keyId }, missing.message));
    return true;
  };
}

/** Once a process, before its first worker: Temporal's own lines among ours, and signals left to us. */
export function installRuntime(log: Log): void {
  const logger = new DefaultLogger('WARN', temporalLines(log));
  // Core warns of each activity that was cancelled with its conversation; that is no news.
  const filter = { core: 'ERROR', other: 'ERROR' } as const;
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging: { filter, forward: {} } } });
}
