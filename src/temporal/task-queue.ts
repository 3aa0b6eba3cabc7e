import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { type Build, isSame } from './deployment';

/** One that asked for work of late. It may have just stopped. */
export interface Poller {
  identity: string;
  /** When it asked last, by Temporal's clock. */
  at: number;
  build: Build | undefined;
}

/** Who asks a task queue for work, and whom it gives work to. */
export interface TaskQueue {
  pollers: Poller[];
  /** Undefined stands for workers without a build id, here and in `ramping`. */
  current: Build | undefined;
  ramping: Build | undefined;
  /** Of the conversations that go to the build that is ramping. */
  percent: number;
}

/** Temporal's number for the kind of queue that every worker polls. */
const WORKFLOW_TASKS = 1;
/** A worker asks again each minute at the latest. */
const POLLED_MS = 3 * 60_000;

export async function describeQueue(client: Client, name: string): Promise<TaskQueue> {
  const { namespace } = client.options;
  const request = { namespace, taskQueue: { name }, taskQueueType: WORKFLOW_TASKS };
  const { pollers, versioningInfo } = await client.workflowService.describeTaskQueue(request);
  return {
    pollers: recentOf(pollers).map(({ identity, lastAccessTime, deploymentOptions }) => ({
      identity: identity ?? '',
      at: tsToMs(lastAccessTime ?? undefined) ?? 0,
      build: versioned(deploymentOptions),
    })),
    current: buildIn(versioningInfo?.currentDeploymentVersion),
    ramping: buildIn(versioningInfo?.rampingDeploymentVersion),
    percent: versioningInfo?.rampingVersionPercentage ?? 0,
  };
}

/** What waits in a queue, and for whom. */
export interface QueueStats {
  type: 'workflow' | 'activity';
  pollers: number;
  backlog: number;
  ageSeconds: number;
}

const ACTIVITY_TASKS = 2;

/** About how much work waits for a worker, of either kind. */
export async function queueStats(client: Client, name: string): Promise<QueueStats[]> {
  const { namespace } = client.options;
  const ofType = async (type: QueueStats['type'], taskQueueType: number): Promise<QueueStats> => {
    const request = { namespace, taskQueue: { name }, taskQueueType, reportStats: true };
    const { pollers, stats } = await client.workflowService.describeTaskQueue(request);
    return {
      type,
      pollers: recentOf(pollers).length,
      backlog: Number(stats?.approximateBacklogCount ?? 0),
      ageSeconds: durationMs(stats?.approximateBacklogAge) / 1_000,
    };
  };
  return Promise.all([ofType('workflow', WORKFLOW_TASKS), ofType('activity', ACTIVITY_TASKS)]);
}

function durationMs(age: Parameters<typeof tsToMs>[0]): number {
  return age ? tsToMs(age) : 0;
}

type Pollers = temporal.api.taskqueue.v1.IPollerInfo[] | null | undefined;

function recentOf(pollers: Pollers): temporal.api.taskqueue.v1.IPollerInfo[] {
  return (pollers ?? []).filter(
    ({ lastAccessTime }) => lastAccessTime && Date.now() - tsToMs(lastAccessTime) < POLLED_MS,
  );
}

/** Whether workers of that build are given work at all. */
export function getsWork({ current, ramping, percent }: TaskQueue, build: Build | undefined): boolean {
  return isSame(build, current) || (percent > 0 && isSame(build, ramping));
}

const VERSIONED = 2;

function versioned(
  options: temporal.api.deployment.v1.IWorkerDeploymentOptions | null | undefined,
): Build | undefined {
  return options?.workerVersioningMode === VERSIONED ? buildIn(options) : undefined;
}

function buildIn(
  named: { deploymentName?: string | null; buildId?: string | null } | null | undefined,
): Build | undefined {
  const { deploymentName, buildId } = named ?? {};
  return deploymentName && buildId ? { deploymentName, buildId } : undefined;
}
