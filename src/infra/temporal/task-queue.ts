import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '#infra/config';

/** The pollers of a task queue, and the builds that receive its tasks. */
export type TaskQueueState = Awaited<ReturnType<typeof readTaskQueue>>;

/** Temporal's number for the workflow task queue, which every worker polls. */
const WORKFLOW_TASKS = 1;
/** A worker polls at least once a minute. */
const RECENT_POLL_MS = 3 * 60_000;

function describeTaskQueue(client: Client, name: string, taskQueueType: number, reportStats = false) {
  const { namespace } = client.options;
  return client.workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType, reportStats });
}

export async function readTaskQueue(client: Client, name: string) {
  const { pollers, versioningInfo } = await describeTaskQueue(client, name, WORKFLOW_TASKS);
  return {
    /** Workers that polled recently. They may have stopped since. */
    pollers: listRecentPollers(pollers).map(({ identity, lastAccessTime, deploymentOptions }) => ({
      identity: identity ?? '',
      /** Time of the last poll, by Temporal's clock. */
      lastPollAt: tsToMs(lastAccessTime ?? undefined) ?? 0,
      build: readPollerBuild(deploymentOptions),
    })),
    /** `undefined` stands for workers without a build id, here and in `rampingBuild`. */
    currentBuild: readBuild(versioningInfo?.currentDeploymentVersion),
    rampingBuild: readBuild(versioningInfo?.rampingDeploymentVersion),
    /** Percentage of conversations that go to the ramping build. */
    rampingPercent: versioningInfo?.rampingVersionPercentage ?? 0,
  };
}

export interface TaskQueueStats {
  type: 'workflow' | 'activity' | 'delivery';
  pollers: number;
  backlog: number;
  ageSeconds: number;
}

const ACTIVITY_TASKS = 2;

/** Reads the approximate backlog of workflow tasks, activities, and activities on the delivery queue. */
export async function readTaskQueueStats(
  client: Client,
  taskQueue: string,
  deliveryQueue: string,
): Promise<TaskQueueStats[]> {
  const readStats = async (
    type: TaskQueueStats['type'],
    name: string,
    taskQueueType: number,
  ): Promise<TaskQueueStats> => {
    const { pollers, stats } = await describeTaskQueue(client, name, taskQueueType, true);
    const { approximateBacklogCount: count, approximateBacklogAge: age } = stats ?? {};
    return {
      type,
      pollers: listRecentPollers(pollers).length,
      backlog: Number(count ?? 0),
      ageSeconds: age ? tsToMs(age) / 1_000 : 0,
    };
  };
  return Promise.all([
    readStats('workflow', taskQueue, WORKFLOW_TASKS),
    readStats('activity', taskQueue, ACTIVITY_TASKS),
    readStats('delivery', deliveryQueue, ACTIVITY_TASKS),
  ]);
}

type PollerInfos = temporal.api.taskqueue.v1.IPollerInfo[] | null | undefined;

function listRecentPollers(pollers: PollerInfos): temporal.api.taskqueue.v1.IPollerInfo[] {
  return (pollers ?? []).filter(
    ({ lastAccessTime }) => lastAccessTime && Date.now() - tsToMs(lastAccessTime) < RECENT_POLL_MS,
  );
}

export function receivesTasks(
  { currentBuild, rampingBuild, rampingPercent }: TaskQueueState,
  build: WorkerBuild | undefined,
): boolean {
  return isSameBuild(build, currentBuild) || (rampingPercent > 0 && isSameBuild(build, rampingBuild));
}

const VERSIONED_MODE = 2;

function readPollerBuild(options: temporal.api.deployment.v1.IWorkerDeploymentOptions | null | undefined) {
  return options?.workerVersioningMode === VERSIONED_MODE ? readBuild(options) : undefined;
}

function readBuild(version: { deploymentName?: string | null; buildId?: string | null } | null | undefined) {
  const { deploymentName, buildId } = version ?? {};
  return deploymentName && buildId ? { deploymentName, buildId } : undefined;
}

export type WorkerBuild = NonNullable<Config['build']>;

/** Conversations outlive builds: the current build runs all of them from their next step on, including parked ones. */
export function createDeploymentOptions(
  build: WorkerBuild | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  const defaultVersioningBehavior = 'AUTO_UPGRADE';
  return build
    ? { workerDeploymentOptions: { useWorkerVersioning: true, version: build, defaultVersioningBehavior } }
    : {};
}

export function isSameBuild(a: WorkerBuild | undefined, b: WorkerBuild | undefined): boolean {
  return a?.buildId === b?.buildId && a?.deploymentName === b?.deploymentName;
}

/** Returns the command that makes a build the current one. `undefined` stands for workers without a build id. */
export function formatPromoteCommand(build: WorkerBuild | undefined, deploymentName = build?.deploymentName): string {
  const deploymentFlag = deploymentName && deploymentName !== 'parley' ? ` --deployment ${deploymentName}` : '';
  return `parley admin promote ${build?.buildId ?? '--unversioned'}${deploymentFlag}`;
}
