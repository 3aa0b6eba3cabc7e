import type { Client } from '@temporalio/client';
import type { Build } from '#temporal/deployment';
import { GRPC, grpcOf } from '#temporal/grpc';

/** A deployment as Temporal has it: its builds, and which of them are given work. */
export interface Deployment {
  builds: string[];
  /** Null stands for workers that have no build id. */
  current: string | null;
  ramping: { buildId: string | null; percent: number } | undefined;
  /** Changes when somebody changes it: two who promote at once do not undo each other unseen. */
  token: Uint8Array | undefined;
}

/** Undefined where no worker of it has ever asked for work. */
export async function describeDeployment(client: Client, name: string): Promise<Deployment | undefined> {
  const { namespace } = client.options;
  try {
    const { workerDeploymentInfo, conflictToken } = await client.workflowService.describeWorkerDeployment({
      namespace,
      deploymentName: name,
    });
    const { versionSummaries, routingConfig } = workerDeploymentInfo ?? {};
    const percent = routingConfig?.rampingVersionPercentage ?? 0;
    const buildId = routingConfig?.rampingDeploymentVersion?.buildId || null;
    return {
      builds: (versionSummaries ?? []).flatMap(({ deploymentVersion }) => deploymentVersion?.buildId ?? []),
      current: routingConfig?.currentDeploymentVersion?.buildId || null,
      ramping: percent > 0 || buildId ? { buildId, percent } : undefined,
      token: conflictToken ?? undefined,
    };
  } catch (error) {
    if (grpcOf(error).code === GRPC.NOT_FOUND && !/namespace/i.test(grpcOf(error).details)) return undefined;
    throw error;
  }
}

export interface Change {
  deploymentName: string;
  /** Undefined: the workers without one. */
  buildId: string | undefined;
  /** Undefined: it becomes the current one. */
  percent?: number;
  isForced: boolean;
  token: Uint8Array | undefined;
}

export async function change(client: Client, wanted: Change): Promise<void> {
  const { deploymentName, buildId = '', percent, isForced, token } = wanted;
  const request = {
    namespace: client.options.namespace,
    deploymentName,
    buildId,
    identity: client.options.identity,
    conflictToken: token,
    ignoreMissingTaskQueues: isForced,
    allowNoPollers: isForced,
  };
  const { workflowService } = client;
  if (percent !== undefined)
    return void (await workflowService.setWorkerDeploymentRampingVersion({
      ...request,
      percentage: percent,
    }));
  await workflowService.setWorkerDeploymentCurrentVersion(request);
  await endRamp(client, request);
}

/** All of them: Temporal leaves another build the part it had, where the current one stays what it was. */
async function endRamp(
  client: Client,
  request: { namespace: string; deploymentName: string },
): Promise<void> {
  const now = await describeDeployment(client, request.deploymentName);
  if (!now?.ramping) return;
  const nobody = { buildId: '', percentage: 0, conflictToken: now.token };
  await client.workflowService.setWorkerDeploymentRampingVersion({ ...request, ...nobody });
}

export const buildNamed = (deploymentName: string, buildId: string | null): Build | undefined =>
  buildId === null ? undefined : { deploymentName, buildId };
