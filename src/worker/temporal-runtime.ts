import { DefaultLogger, type LogEntry, type MetricsExporterConfig, Runtime } from '@temporalio/worker';
import { extractConversationId } from '#contract/conversation';
import { createMissingKeyReporter, type Log } from '#infra/log';
import { extractTaskFailureReason } from '#infra/temporal/errors';
import { createThrottle } from '#infra/throttle';

/** Activity failures that are already logged with details. */
const REPORTED_FAILURE_TYPES = ['not_sent', 'undeliverable', 'gone', 'not_archived'];

/** Said at each start of a queue that has only activities, as that of deliveries. */
const NO_WORKFLOWS = 'No workflows registered, not polling for workflow tasks';

/** Writes the log lines of Temporal's SDK to Parley's log. */
export function createTemporalLogHandler(log: Log, countMissingKey?: () => void): (entry: LogEntry) => void {
  const reportMissingKey = createMissingKeyReporter(log, countMissingKey);
  const handleTaskWarning = createTaskWarningHandler(log);
  return ({ level, message, meta }) => {
    if (message === NO_WORKFLOWS || reportMissingKey(meta?.error)) return;
    if (meta?.sdkComponent === 'core' && level === 'WARN') return handleTaskWarning(message, meta);
    const { type } = (meta?.error ?? {}) as { type?: string };
    if (message === 'Activity failed' && REPORTED_FAILURE_TYPES.includes(type ?? '')) return;
    const { workflowId, traceId } = (meta ?? {}) as Record<string, unknown>;
    const conversation = typeof workflowId === 'string' ? extractConversationId(workflowId) : undefined;
    log[level === 'ERROR' ? 'error' : 'warn']({ conversation, traceId, temporal: meta }, message);
  };
}

/** Other warnings of Temporal's core that may block a conversation: harmless once, but not if they repeat. */
const TRANSIENT_WARNINGS: { [message: string]: string } = {
  'Error while completing workflow activation': 'Temporal did not accept the result of a task. It is retried.',
  'Task not found when completing':
    'A task ended before the worker completed it: it timed out, or another worker has it. It is retried.',
};
const STUCK_CONVERSATION_MESSAGE =
  'A conversation is stuck because its task failed. Nothing is lost: it continues once the code is fixed. See ParleyStuckConversations in docs/operations/monitoring.md.';

/** Reports only the relevant warnings of Temporal's core. A failed query is reported to its caller. */
function createTaskWarningHandler(log: Log): (message: string, meta: Record<string, unknown>) => void {
  const throttled = createThrottle();
  return (message, { runId, failure, error }) => {
    const warning = TRANSIENT_WARNINGS[message];
    const reason = extractTaskFailureReason(String(failure ?? error));
    if (warning) throttled(`${message} ${runId ?? reason}`, () => log.warn({ run: runId, why: reason }, warning));
    if (message !== 'Failing workflow task') return;
    // A missing encryption key also fails the task, and is reported separately.
    if (reason.includes('PARLEY_ENCRYPTION_KEYS')) return;
    if (reason.startsWith('Fetching history failed'))
      log.warn({ run: runId, why: reason }, "Can't read a history from Temporal. Retrying.");
    else log.error({ run: runId, why: reason }, STUCK_CONVERSATION_MESSAGE);
  };
}

export interface TemporalRuntimeOptions {
  /** Serves the metrics of Temporal's SDK. */
  exporter?: MetricsExporterConfig;
  countMissingKey?(): void;
}

/** Disables the core's warnings about activities that were cancelled with their conversation, which are expected. */
export const coreLoggingOptions = { filter: 'ERROR,temporalio_sdk_core::worker::workflow=WARN', forward: {} };

/** Installs the SDK's runtime, once per process. Its logs go to Parley's log; Parley handles signals itself. */
export function installTemporalRuntime(log: Log, { exporter, countMissingKey }: TemporalRuntimeOptions = {}) {
  const logger = new DefaultLogger('WARN', createTemporalLogHandler(log, countMissingKey));
  const telemetryOptions = {
    logging: coreLoggingOptions,
    ...(exporter && { metrics: exporter }),
  };
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions });
}
