import { DefaultLogger, type LogEntry, type MetricsBuffer, Runtime } from '@temporalio/worker';
import { extractConversationId } from '#contract/conversation';
import { createMissingKeyReporter, type Log } from '#infra/log';
import { extractTaskFailureReason } from '#infra/temporal/errors';
import { createThrottle } from '#infra/throttle';

/** Failures of activities that have said so themselves, in words. */
const REPORTED_FAILURE_TYPES = ['not_sent', 'undeliverable', 'gone', 'not_kept'];

/** Temporal's own lines among ours. */
export function createTemporalLogHandler(log: Log, countMissing?: () => void): (entry: LogEntry) => void {
  const sayMissing = createMissingKeyReporter(log, countMissing);
  const sayTaskTrouble = createTaskWarningHandler(log);
  return ({ level, message, meta }) => {
    if (sayMissing(meta?.error)) return;
    if (meta?.sdkComponent === 'core' && level === 'WARN') return sayTaskTrouble(message, meta);
    const { type } = (meta?.error ?? {}) as { type?: string };
    if (message === 'Activity failed' && REPORTED_FAILURE_TYPES.includes(type ?? '')) return;
    const { workflowId, traceId } = (meta ?? {}) as Record<string, unknown>;
    const conversation = typeof workflowId === 'string' ? extractConversationId(workflowId) : undefined;
    log[level === 'ERROR' ? 'error' : 'warn']({ conversation, traceId, temporal: meta }, message);
  };
}

/** What else Core warns of that may keep a conversation from going on: harmless once, and not if it goes on. */
const TRANSIENT_WARNINGS: { [message: string]: string } = {
  'Error while completing workflow activation': 'Temporal did not take what a task came to. It is tried again.',
  'Task not found when completing':
    'A task was over before the worker was: it took too long, or another has it. It is tried again.',
};
const STUCK_CONVERSATION_MESSAGE =
  'A conversation cannot go on, as its task failed. Nothing is lost: it goes on when the code does. See ParleyStuckConversations in docs/monitoring.md.';

/** Of Core's warnings, what is news. A query that failed is told to whoever asked. */
function createTaskWarningHandler(log: Log): (message: string, meta: Record<string, unknown>) => void {
  const rarely = createThrottle();
  return (message, { runId: run, failure, error }) => {
    const again = TRANSIENT_WARNINGS[message];
    const why = extractTaskFailureReason(String(failure ?? error));
    if (again) rarely(`${message} ${run ?? why}`, () => log.warn({ run, why }, again));
    if (message !== 'Failing workflow task') return;
    // What is sealed with a key that is not here fails its task, too, and has been said.
    if (why.includes('PARLEY_ENCRYPTION_KEYS')) return;
    if (why.startsWith('Fetching history failed'))
      log.warn({ run, why }, 'A history could not be read from Temporal. It is tried again.');
    else log.error({ run, why }, STUCK_CONVERSATION_MESSAGE);
  };
}

export interface TemporalRuntimeOptions {
  /** Takes the metrics of Temporal's SDK. */
  buffer?: MetricsBuffer;
  countMissing?(): void;
}

/** Core also warns of each activity that was cancelled with its conversation; that is no news. */
export const coreLoggingOptions = { filter: 'ERROR,temporalio_sdk_core::worker::workflow=WARN', forward: {} };

/** Once a process, before its first worker: Temporal's own lines among ours, and signals left to us. */
export function installTemporalRuntime(log: Log, { buffer, countMissing }: TemporalRuntimeOptions = {}): void {
  const logger = new DefaultLogger('WARN', createTemporalLogHandler(log, countMissing));
  const telemetryOptions = { logging: coreLoggingOptions, ...(buffer && { metrics: { buffer } }) };
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions });
}
