import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '#infra/config';

/** A worker that polled recently. It may have just stopped. */
export interface TaskQueuePoller {
  identity: string;
  /** When it last polled, by Temporal's clock. */
  lastPollAt: number;
  build: WorkerBuild | undefined;
}

/** Who asks a task queue for work, and whom it gives work to. */
export interface TaskQueueState {
  pollers: TaskQueuePoller[];
  /** Undefined stands for workers without a build id, here and in `rampingBuild`. */
  currentBuild: WorkerBuild | undefined;
  rampingBuild: WorkerBuild | undefined;
  /** The share of conversations that go to the ramping build. */
  rampingPercent: number;
}

/** Temporal's number for the kind of queue that every worker polls. */
const WORKFLOW_TASKS = 1;
/** A worker asks again each minute at the latest. */
const RECENT_POLL_MS = 3 * 60_000;

export async function readTaskQueue(client: Client, name: string): Promise<TaskQueueState> {
  const { namespace } = client.options;
  const request = { namespace, taskQueue: { name }, taskQueueType: WORKFLOW_TASKS };
  const { pollers, versioningInfo } = await client.workflowService.describeTaskQueue(request);
  return {
    pollers: listRecentPollers(pollers).map(({ identity, lastAccessTime, deploymentOptions }) => ({
      identity: identity ?? '',
      lastPollAt: tsToMs(lastAccessTime ?? undefined) ?? 0,
      build: readPollerBuild(deploymentOptions),
    })),
    currentBuild: readBuild(versioningInfo?.currentDeploymentVersion),
    rampingBuild: readBuild(versioningInfo?.rampingDeploymentVersion),
    rampingPercent: versioningInfo?.rampingVersionPercentage ?? 0,
  };
}

/** What waits in a queue, and for whom. */
export interface TaskQueueStats {
  type: 'workflow' | 'activity';
  pollers: number;
  backlog: number;
  ageSeconds: number;
}

const ACTIVITY_TASKS = 2;

/** About how much work waits for a worker, of either kind. */
export async function readTaskQueueStats(client: Client, name: string): Promise<TaskQueueStats[]> {
  const { namespace } = client.options;
  const readStats = async (type: TaskQueueStats['type'], taskQueueType: number): Promise<TaskQueueStats> => {
    const request = { namespace, taskQueue: { name }, taskQueueType, reportStats: true };
    const { pollers, stats } = await client.workflowService.describeTaskQueue(request);
    return {
      type,
      pollers: listRecentPollers(pollers).length,
      backlog: Number(stats?.approximateBacklogCount ?? 0),
      ageSeconds: toDurationMs(stats?.approximateBacklogAge) / 1_000,
    };
  };
  return Promise.all([readStats('workflow', WORKFLOW_TASKS), readStats('activity', ACTIVITY_TASKS)]);
}

function toDurationMs(duration: Parameters<typeof tsToMs>[0]): number {
  return duration ? tsToMs(duration) : 0;
}

type PollerInfos = temporal.api.taskqueue.v1.IPollerInfo[] | null | undefined;

function listRecentPollers(pollers: PollerInfos): temporal.api.taskqueue.v1.IPollerInfo[] {
  return (pollers ?? []).filter(
    ({ lastAccessTime }) => lastAccessTime && Date.now() - tsToMs(lastAccessTime) < RECENT_POLL_MS,
  );
}

/** Whether workers of that build receive any tasks. */
export function receivesTasks(
  { currentBuild, rampingBuild, rampingPercent }: TaskQueueState,
  build: WorkerBuild | undefined,
): boolean {
  return isSameBuild(build, currentBuild) || (rampingPercent > 0 && isSameBuild(build, rampingBuild));
}

const VERSIONED_MODE = 2;

function readPollerBuild(
  options: temporal.api.deployment.v1.IWorkerDeploymentOptions | null | undefined,
): WorkerBuild | undefined {
  return options?.workerVersioningMode === VERSIONED_MODE ? readBuild(options) : undefined;
}

function readBuild(
  version: { deploymentName?: string | null; buildId?: string | null } | null | undefined,
): WorkerBuild | undefined {
  const { deploymentName, buildId } = version ?? {};
  return deploymentName && buildId ? { deploymentName, buildId } : undefined;
}

export type WorkerBuild = NonNullable<Config['build']>;

/** Conversations outlive builds: whichever is the current one takes all of them up, parked ones too, at their next step. */
export function createDeploymentOptions(
  build: WorkerBuild | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (!build) return {};
  const workerDeploymentOptions = {
    useWorkerVersioning: true,
    version: build,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  } as const;
  return { workerDeploymentOptions };
}

export function isSameBuild(a: WorkerBuild | undefined, b: WorkerBuild | undefined): boolean {
  return a?.buildId === b?.buildId && a?.deploymentName === b?.deploymentName;
}

/** What a person types to make a build the current one. Undefined stands for workers that have no build id. */
export function formatPromoteCommand(build: WorkerBuild | undefined, deploymentName = build?.deploymentName): string {
  const deploymentFlag = deploymentName && deploymentName !== 'parley' ? ` --deployment ${deploymentName}` : '';
  return `parley admin promote ${build?.buildId ?? '--unversioned'}${deploymentFlag}`;
}
