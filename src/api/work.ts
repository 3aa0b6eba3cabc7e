import type { LoadedDataConverter } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import { millis } from './run';

/** An activity under way. */
export interface Work {
  id: string;
  type: string;
  /** What its present attempt told last; nothing between attempts. */
  told: unknown;
}

/** `PENDING_ACTIVITY_STATE_SCHEDULED`: not taken by a worker yet, or waiting to be tried again. */
const SCHEDULED = 1;

export async function workOf(
  converter: LoadedDataConverter,
  pending: temporal.api.workflow.v1.IPendingActivityInfo,
): Promise<Work> {
  const { activityId, activityType, state, lastHeartbeatTime, lastStartedTime, heartbeatDetails } = pending;
  // Temporal keeps what a failed attempt told, for the next one to go on from.
  const isOfNow = state !== SCHEDULED && millis(lastHeartbeatTime) > millis(lastStartedTime);
  const payloads = isOfNow ? heartbeatDetails?.payloads : [];
  const [told] = await decodeArrayFromPayloads(converter, payloads);
  return { id: activityId ?? '', type: activityType?.name ?? '', told };
}
