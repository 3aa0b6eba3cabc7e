import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '#activities/create-activities';

/**
 * The model. Temporal retries: half an hour of outage is sat out; a dead worker is noticed within the heartbeat. A summary is
 * waited for as long: what it is of would be gone without it.
 */
export const { callModel: callModelActivity, summarize: summarizeActivity } = proxyActivities<Activities>({
  startToCloseTimeout: '30m',
  scheduleToCloseTimeout: '3h',
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '2m', maximumAttempts: 20 },
});

const toolOptions = {
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
} as const;

/** A tool that may safely run again. */
export const { runTool: runToolActivity } = proxyActivities<Activities>({
  ...toolOptions,
  retry: { initialInterval: '1s', maximumAttempts: 5 },
});

/** A tool that says it must not run twice: if its worker dies under it, the model is told that it may have run. */
export const { runTool: runToolOnceActivity } = proxyActivities<Activities>({
  ...toolOptions,
  retry: { maximumAttempts: 1 },
});

const deliveryOptions = {
  startToCloseTimeout: '1m',
  // Three days of outage, and then one more try.
  scheduleToCloseTimeout: '75h',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1h' },
} as const;

/**
 * Tell people. A channel may be down for days, and the same notice sent again is known by its id; how long to wait is said
 * by what failed. One that is on its way when the question is settled is waited for, to know whether it went out.
 */
export const { sendNotification: sendNotificationActivity } = proxyActivities<Activities>({
  ...deliveryOptions,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Keep what leaves the state. A storage that is down must not hold the conversation up for long: it goes on without. That is
 * bound by attempts, as time in which no worker is there says nothing of the storage. Each outlasts the storage's own deadline.
 */
export const { archiveEntries: archiveEntriesActivity } = proxyActivities<Activities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 6 },
});

/** Tell what became of it. */
export const { deliverOutcome: deliverOutcomeActivity } = proxyActivities<Activities>(deliveryOptions);
