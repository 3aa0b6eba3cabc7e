import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { State } from '../core/state';
import type { Run } from './run';
import { type Work, workOf } from './work';

/** A stretch of a run's history, payloads not decoded, and where the next begins. */
export interface HistoryPage {
  events: temporal.api.history.v1.IHistoryEvent[];
  token: Uint8Array | undefined;
}

/** Temporal itself lets go of a poll after 20 s. */
const POLL_MS = 60_000;

/** What Temporal has of a run beside what describes it: needs no worker. */
export function createHistories(
  client: Client,
  soon: <T>(call: () => Promise<T>, ms?: number) => Promise<T>,
) {
  const about = ({ id, runId }: Run) => ({
    namespace: client.options.namespace,
    execution: { workflowId: id, runId },
  });

  return {
    /** The state that a run began with. */
    async beginning(run: Run): Promise<State> {
      const request = { ...about(run), maximumPageSize: 1 };
      const page = await soon(() => client.workflowService.getWorkflowExecutionHistory(request));
      const started = page.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
      const { loadedDataConverter } = client.options;
      const [state] = await decodeArrayFromPayloads(loadedDataConverter, started?.input?.payloads);
      return state as State;
    },

    /** What a run's history goes on with: waits for it, for 20 s at most. Leaves no event. */
    async awaitHistory(run: Run, token: Uint8Array | undefined, unwanted: AbortSignal): Promise<HistoryPage> {
      const request = { ...about(run), waitNewEvent: true, nextPageToken: token };
      const page = await client.withAbortSignal(unwanted, () =>
        soon(() => client.workflowService.getWorkflowExecutionHistory(request), POLL_MS),
      );
      return { events: page.history?.events ?? [], token: page.nextPageToken ?? undefined };
    },

    /** The activities of a run that are under way, with what their hearts told last. */
    async underWay(run: Run): Promise<Work[]> {
      const seen = await soon(() => client.workflowService.describeWorkflowExecution(about(run)));
      const { loadedDataConverter } = client.options;
      return Promise.all((seen.pendingActivities ?? []).map((work) => workOf(loadedDataConverter, work)));
    },
  };
}
