import type { WorkflowService } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { ConversationState } from '#core/conversation/state';
import { type Execution, toMillis } from './execution';

/** A page of a run's history with encoded payloads, and the token of the next page. */
export interface HistoryPage {
  events: temporal.api.history.v1.IHistoryEvent[];
  token: Uint8Array | undefined;
}

/** Temporal itself ends a poll after 20 s. */
const POLL_MS = 60_000;

interface HistoryClientDeps {
  service: WorkflowService;
  namespace: string;
  converter: LoadedDataConverter;
  /** Calls with a deadline, cancelled by `abortSignal`. */
  withDeadline<T>(call: () => Promise<T>, ms?: number, abortSignal?: AbortSignal): Promise<T>;
}

/** Reads what Temporal records of a run: history and pending activities. Needs no worker. */
export function createHistoryClient({ service, namespace, converter, withDeadline }: HistoryClientDeps) {
  const requestFor = ({ id, runId }: Execution) => ({ namespace, execution: { workflowId: id, runId } });

  return {
    /** Returns the state that a run started with. */
    async initialState(run: Execution): Promise<ConversationState> {
      const request = { ...requestFor(run), maximumPageSize: 1 };
      const page = await withDeadline(() => service.getWorkflowExecutionHistory(request));
      const started = page.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
      const [state] = await decodeArrayFromPayloads(converter, started?.input?.payloads);
      return state as ConversationState;
    },

    /** Long-polls the next page of a run's history, for 20 s at most. Adds no event. */
    async pollHistory(run: Execution, token: Uint8Array | undefined, abortSignal: AbortSignal): Promise<HistoryPage> {
      const request = { ...requestFor(run), waitNewEvent: true, nextPageToken: token };
      const poll = () => service.getWorkflowExecutionHistory(request);
      const page = await withDeadline(poll, POLL_MS, abortSignal);
      return { events: page.history?.events ?? [], token: page.nextPageToken ?? undefined };
    },

    /** Returns the pending activities of a run, with their last heartbeat. */
    async pendingActivities(run: Execution): Promise<PendingActivity[]> {
      const description = await withDeadline(() => service.describeWorkflowExecution(requestFor(run)));
      return Promise.all(
        (description.pendingActivities ?? []).map((activity) => toPendingActivity(converter, activity)),
      );
    },
  };
}

/** A scheduled or running activity. */
export interface PendingActivity {
  id: string;
  type: string;
  /** Heartbeat details of the current attempt; undefined between attempts. */
  heartbeat: unknown;
  /** Between attempts: when the next one is due, and the type of the last failure. */
  retry?: { at: string; reason: string };
}

/** `PENDING_ACTIVITY_STATE_SCHEDULED`: waiting for a worker or for a retry. */
const ACTIVITY_SCHEDULED = 1;

async function toPendingActivity(
  converter: LoadedDataConverter,
  pending: temporal.api.workflow.v1.IPendingActivityInfo,
): Promise<PendingActivity> {
  const { activityId, activityType, state, lastHeartbeatTime, lastStartedTime, heartbeatDetails } = pending;
  const { lastFailure, nextAttemptScheduleTime } = pending;
  // Temporal keeps the heartbeat of a failed attempt for the next one.
  const isCurrentAttempt = state !== ACTIVITY_SCHEDULED && toMillis(lastHeartbeatTime) > toMillis(lastStartedTime);
  const payloads = isCurrentAttempt ? heartbeatDetails?.payloads : [];
  const [heartbeat] = await decodeArrayFromPayloads(converter, payloads);
  const reason = lastFailure?.applicationFailureInfo?.type;
  const isWaiting = state === ACTIVITY_SCHEDULED && nextAttemptScheduleTime && reason;
  const retry = isWaiting ? { at: new Date(toMillis(nextAttemptScheduleTime)).toISOString(), reason } : undefined;
  return { id: activityId ?? '', type: activityType?.name ?? '', heartbeat, retry };
}
