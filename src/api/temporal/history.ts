import type { WorkflowService } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { ConversationState } from '#core/conversation/state';
import { type Execution, toMillis } from './execution';

/** A stretch of a run's history, payloads not decoded, and where the next begins. */
export interface HistoryPage {
  events: temporal.api.history.v1.IHistoryEvent[];
  token: Uint8Array | undefined;
}

/** Temporal itself lets go of a poll after 20 s. */
const POLL_MS = 60_000;

interface Kept {
  service: WorkflowService;
  namespace: string;
  converter: LoadedDataConverter;
  /** With a deadline, and until it is unwanted. */
  soon<T>(call: () => Promise<T>, ms?: number, unwanted?: AbortSignal): Promise<T>;
}

/** What Temporal has of a run beside what describes it: needs no worker. */
export function createHistoryClient({ service, namespace, converter, soon }: Kept) {
  const about = ({ id, runId }: Execution) => ({ namespace, execution: { workflowId: id, runId } });

  return {
    /** The state that a run began with. */
    async beginning(run: Execution): Promise<ConversationState> {
      const request = { ...about(run), maximumPageSize: 1 };
      const page = await soon(() => service.getWorkflowExecutionHistory(request));
      const started = page.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
      const [state] = await decodeArrayFromPayloads(converter, started?.input?.payloads);
      return state as ConversationState;
    },

    /** What a run's history goes on with: waits for it, for 20 s at most. Leaves no event. */
    async awaitHistory(run: Execution, token: Uint8Array | undefined, unwanted: AbortSignal): Promise<HistoryPage> {
      const request = { ...about(run), waitNewEvent: true, nextPageToken: token };
      const poll = () => service.getWorkflowExecutionHistory(request);
      const page = await soon(poll, POLL_MS, unwanted);
      return { events: page.history?.events ?? [], token: page.nextPageToken ?? undefined };
    },

    /** The activities of a run that are under way, with what their hearts told last. */
    async underWay(run: Execution): Promise<PendingActivity[]> {
      const seen = await soon(() => service.describeWorkflowExecution(about(run)));
      return Promise.all((seen.pendingActivities ?? []).map((work) => toPendingActivity(converter, work)));
    },
  };
}

/** An activity under way. */
export interface PendingActivity {
  id: string;
  type: string;
  /** What its present attempt told last; nothing between attempts. */
  told: unknown;
}

/** `PENDING_ACTIVITY_STATE_SCHEDULED`: not taken by a worker yet, or waiting to be tried again. */
const SCHEDULED = 1;

async function toPendingActivity(
  converter: LoadedDataConverter,
  pending: temporal.api.workflow.v1.IPendingActivityInfo,
): Promise<PendingActivity> {
  const { activityId, activityType, state, lastHeartbeatTime, lastStartedTime, heartbeatDetails } = pending;
  // Temporal keeps what a failed attempt told, for the next one to go on from.
  const isOfNow = state !== SCHEDULED && toMillis(lastHeartbeatTime) > toMillis(lastStartedTime);
  const payloads = isOfNow ? heartbeatDetails?.payloads : [];
  const [told] = await decodeArrayFromPayloads(converter, payloads);
  return { id: activityId ?? '', type: activityType?.name ?? '', told };
}
