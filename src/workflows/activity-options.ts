import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '#activities/create-activities';
import { deliveryTaskQueue } from './messages';

/**
 * Model calls and summaries. The activity limits its attempts, and a missing heartbeat reveals a dead worker. Nothing
 * here limits the time without a worker, which says nothing about the model.
 */
export const { callModel: callModelActivity, summarize: summarizeActivity } = proxyActivities<Activities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '2m' },
});

const toolOptions = {
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
} as const;

/** Tools that are safe to run again. */
export const { runTool: runToolActivity } = proxyActivities<Activities>({
  ...toolOptions,
  retry: { initialInterval: '1s', maximumAttempts: 5 },
});

/** Tools that must not run twice: if the worker dies, the model is told that the tool may have run. */
export const { runTool: runToolOnceActivity } = proxyActivities<Activities>({
  ...toolOptions,
  retry: { maximumAttempts: 1 },
});

/** Options of an activity that reaches people or storage: its own task queue, so that model calls never delay it. */
export function onDeliveryQueue(summary: string) {
  return { summary, taskQueue: deliveryTaskQueue(workflowInfo().taskQueue) };
}

const deliveryOptions = {
  startToCloseTimeout: '1m',
  // Three days of outage. Limited by attempts: time without a worker says nothing about the channel.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1h', maximumAttempts: 110 },
} as const;

/**
 * Notifications. A channel may be down for days; receivers recognize a repeat by its id, and the failure sets the
 * retry delay. When the question is resolved, a notification being sent is awaited, to know whether it went out.
 */
export const { sendNotification: sendNotificationActivity } = proxyActivities<Activities>({
  ...deliveryOptions,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Archiving. Storage that is down must not delay a conversation for long. Limited by attempts, not time: time without
 * a worker says nothing about storage. Each attempt outlasts the storage's own deadline.
 */
export const { archiveEntries: archiveEntriesActivity } = proxyActivities<Activities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 6 },
});

/** Outcome deliveries. */
export const { deliverOutcome: deliverOutcomeActivity } = proxyActivities<Activities>(deliveryOptions);
