import { DefaultLogger, type LogEntry, type MetricsBuffer, Runtime } from '@temporalio/worker';
import pino from 'pino';
import { createRarely } from './activities/rarely';
import { conversationIn } from './contract/conversation';
import { keyErrorIn } from './sealing/key-error';
import { reasonOf } from './temporal/reason';

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
export function temporalLines(log: Log, countMissing?: () => void): (entry: LogEntry) => void {
  const sayMissing = keyTeller(log, countMissing);
  const sayTaskTrouble = taskTeller(log);
  return ({ level, message, meta }) => {
    if (sayMissing(meta?.error)) return;
    if (meta?.sdkComponent === 'core' && level === 'WARN') return sayTaskTrouble(message, meta);
    const { type } = (meta?.error ?? {}) as { type?: string };
    if (message === 'Activity failed' && SAID.includes(type ?? '')) return;
    const { workflowId, traceId } = (meta ?? {}) as Record<string, unknown>;
    const conversation = typeof workflowId === 'string' ? conversationIn(workflowId) : undefined;
    log[level === 'ERROR' ? 'error' : 'warn']({ conversation, traceId, temporal: meta }, message);
  };
}

/** What else Core warns of that may keep a conversation from going on: harmless once, and not if it goes on. */
const REPEATED: { [message: string]: string } = {
  'Error while completing workflow activation':
    'Temporal did not take what a task came to. It is tried again.',
  'Task not found when completing':
    'A task was over before the worker was: it took too long, or another has it. It is tried again.',
};
const STUCK =
  'A conversation cannot go on, as its task failed. Nothing is lost: it goes on when the code does. See ParleyStuckConversations in docs/monitoring.md.';

/** Of Core's warnings, what is news. A query that failed is told to whoever asked. */
function taskTeller(log: Log): (message: string, meta: Record<string, unknown>) => void {
  const rarely = createRarely();
  return (message, { runId: run, failure, error }) => {
    const again = REPEATED[message];
    const why = reasonOf(String(failure ?? error));
    if (again) rarely(`${message} ${run ?? why}`, () => log.warn({ run, why }, again));
    if (message !== 'Failing workflow task') return;
    // What is sealed with a key that is not here fails its task, too, and has been said.
    if (why.includes('PARLEY_ENCRYPTION_KEYS')) return;
    if (why.startsWith('Fetching history failed'))
      log.warn({ run, why }, 'A history could not be read from Temporal. It is tried again.');
    else log.error({ run, why }, STUCK);
  };
}

/** Whether it is about a key that is missing: then that is said, but not for each conversation that needs it at each attempt. */
export function keyTeller(log: Log, count: () => void = () => undefined): (error: unknown) => boolean {
  const rarely = createRarely();
  return (error) => {
    const missing = keyErrorIn(error);
    if (!missing) return false;
    count();
    rarely(missing.message, () => log.error({ encryptionKey: missing.keyId }, missing.message));
    return true;
  };
}

export interface RuntimeParts {
  /** Takes the metrics of Temporal's SDK. */
  buffer?: MetricsBuffer;
  countMissing?(): void;
}

/** Core also warns of each activity that was cancelled with its conversation; that is no news. */
export const coreLogging = { filter: 'ERROR,temporalio_sdk_core::worker::workflow=WARN', forward: {} };

/** Once a process, before its first worker: Temporal's own lines among ours, and signals left to us. */
export function installRuntime(log: Log, { buffer, countMissing }: RuntimeParts = {}): void {
  const logger = new DefaultLogger('WARN', temporalLines(log, countMissing));
  const telemetryOptions = { logging: coreLogging, ...(buffer && { metrics: { buffer } }) };
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions });
}
