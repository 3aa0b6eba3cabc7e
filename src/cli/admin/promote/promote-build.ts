import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CommandError, EXIT } from '#cli/errors';
import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { formatPromoteCommand, isSameBuild, readTaskQueue, type WorkerBuild } from '#infra/temporal/task-queue';

export interface PromotionRequest {
  deploymentName: string;
  /** Undefined for workers without a build id. */
  buildId: string | undefined;
  /** Undefined to make the build the current one. */
  percent?: number;
  isForced: boolean;
  taskQueue: string;
  /** How long to wait for workers of the build to poll. */
  waitMs: number;
}

/** Creates the error for a build that was not promoted. The user can fix the cause or override it with --force. */
export function promotionRefused(message: string): CommandError {
  return new CommandError(EXIT.failed, message, 'promotion_refused');
}

const POLL_INTERVAL_MS = 500;

/** Routes all conversations, or a percentage of them, to a build. Returns the lines to print. */
export async function promoteBuild(
  client: Client,
  request: PromotionRequest,
  onProgress: (line: string) => void,
): Promise<string[]> {
  const deadline = Date.now() + request.waitMs;
  if (!request.isForced) await waitForPollers(client, request, onProgress);
  return describePromotion(request, await changeWhenAccepted(client, request, deadline));
}

/** Changes the routing and retries until Temporal knows the build's workers. Returns the previous routing. */
async function changeWhenAccepted(
  client: Client,
  request: PromotionRequest,
  deadline: number,
): Promise<WorkerDeployment> {
  for (;;) {
    const previous = await readWorkerDeployment(client, request.deploymentName);
    if (!previous || (request.buildId !== undefined && !previous.builds.includes(request.buildId)))
      throw promotionRefused(formatUnknownBuild(request, previous));
    try {
      await changeRouting(client, { ...request, token: previous.token });
      return previous;
    } catch (error) {
      const { code, details } = findGrpcError(error);
      const isPollerMissing = code === GRPC_STATUS.FAILED_PRECONDITION && /task queue|poller/i.test(details);
      // Temporal asks for a retry when many task queues change at once.
      const isTransient = isPollerMissing || (code === GRPC_STATUS.INTERNAL && /please retry/i.test(details));
      if (isTransient && Date.now() < deadline) {
        await pause(POLL_INTERVAL_MS);
        continue;
      }
      if (code !== GRPC_STATUS.FAILED_PRECONDITION) throw error;
      const hint = ' Start its workers on every task queue, or promote anyway with --force.';
      throw promotionRefused(`Temporal refused: ${details}.${isPollerMissing ? hint : ''}`);
    }
  }
}

/** Waits until workers of the build poll. Without them, every answer would wait. */
async function waitForPollers(
  client: Client,
  { taskQueue, deploymentName, buildId, waitMs }: PromotionRequest,
  onProgress: (line: string) => void,
): Promise<void> {
  const build = toBuild(deploymentName, buildId ?? null);
  const deadline = Date.now() + waitMs;
  const isPolled = async () =>
    (await readTaskQueue(client, taskQueue)).pollers.some((poller) => isSameBuild(poller.build, build));
  if (await isPolled()) return;
  const noWorker = `No worker ${buildId ? `of build ${buildId}` : 'without a build id'} is polling`;
  onProgress(`${noWorker} yet. Waiting up to ${Math.round(waitMs / 1_000)} s…`);
  while (Date.now() < deadline) {
    await pause(POLL_INTERVAL_MS);
    if (await isPolled()) return;
  }
  const startHint = buildId ? ` with PARLEY_BUILD_ID=${buildId}` : ' without PARLEY_BUILD_ID';
  const deployment = await readWorkerDeployment(client, deploymentName);
  const isUnknown = deployment && buildId !== undefined && !deployment.builds.includes(buildId);
  const unknownHint = isUnknown ? ` Temporal doesn't know this build. ${formatKnownBuilds(deployment)}` : '';
  throw promotionRefused(
    `${noWorker} task queue ${taskQueue}. Start one${startHint} first, or promote anyway with --force: conversations then wait for one.${unknownHint}`,
  );
}

function formatKnownBuilds({ builds }: WorkerDeployment): string {
  return `Known builds: ${builds.join(', ') || 'none'}.`;
}

function formatUnknownBuild(
  { deploymentName, buildId }: PromotionRequest,
  deployment: WorkerDeployment | undefined,
): string {
  if (!deployment)
    return `Deployment ${deploymentName} not found: Temporal creates it when its first worker starts. Start one with PARLEY_BUILD_ID=${buildId ?? '…'} and PARLEY_DEPLOYMENT=${deploymentName}.`;
  return `Build ${buildId} not found in deployment ${deploymentName}. ${formatKnownBuilds(deployment)} Start a worker with PARLEY_BUILD_ID=${buildId} first.`;
}

function describePromotion(
  { deploymentName, buildId, percent }: PromotionRequest,
  { current, ramping }: WorkerDeployment,
): string[] {
  const target = { buildId: buildId ?? null, percent };
  const isNoChange = percent === undefined && current === target.buildId && !ramping;
  if (isNoChange) return [describeRouting(target, current), 'Nothing changed.'];
  const promotionTo = (build: string | null) => formatPromoteCommand(toBuild(deploymentName, build), deploymentName);
  const wasRamping = ramping && percent === undefined && current === target.buildId;
  const rollbackCommand = wasRamping
    ? `${promotionTo(ramping.buildId)} --ramp ${ramping.percent}`
    : promotionTo(current);
  const previousRamp = ramping ? `, with ${formatBuildName(ramping.buildId)} for ${ramping.percent} %` : '';
  return [
    describeRouting(target, current),
    ...(percent === undefined ? [`Previously: ${formatBuildName(current)}${previousRamp}.`] : []),
    `To roll back: ${rollbackCommand}`,
  ];
}

function describeRouting(target: { buildId: string | null; percent?: number }, current: string | null): string {
  const name = capitalize(formatBuildName(target.buildId));
  const verb = target.buildId === null ? 'handle' : 'handles';
  if (target.percent !== undefined)
    return `${name} ${verb} ${target.percent} % of the conversations; ${formatBuildName(current)} the rest.`;
  if (target.buildId === null) return `${name} handle every conversation from its next step on.`;
  return `${name} is now current: it handles every conversation from its next step on.`;
}

function formatBuildName(buildId: string | null): string {
  return buildId === null ? 'workers without a build id' : `build ${buildId}`;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A worker deployment: its builds and how work is routed to them. */
interface WorkerDeployment {
  builds: string[];
  /** Null for workers without a build id. */
  current: string | null;
  ramping: { buildId: string | null; percent: number } | undefined;
  /** Changes with every update, so that concurrent promotions cannot silently overwrite each other. */
  token: Uint8Array | undefined;
}

/** Returns undefined if no worker of the deployment has ever polled. */
async function readWorkerDeployment(client: Client, name: string): Promise<WorkerDeployment | undefined> {
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
    if (findGrpcError(error).code === GRPC_STATUS.NOT_FOUND && !/namespace/i.test(findGrpcError(error).details))
      return undefined;
    throw error;
  }
}

type RoutingChange = Pick<PromotionRequest, 'deploymentName' | 'buildId' | 'percent' | 'isForced'> &
  Pick<WorkerDeployment, 'token'>;

async function changeRouting(client: Client, change: RoutingChange): Promise<void> {
  const { deploymentName, buildId = '', percent, isForced, token } = change;
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
    return void (await workflowService.setWorkerDeploymentRampingVersion({ ...request, percentage: percent }));
  await workflowService.setWorkerDeploymentCurrentVersion(request);
  await endRamp(client, request);
}

/** Ends a ramp. Temporal would keep it if the current build does not change. */
async function endRamp(client: Client, request: { namespace: string; deploymentName: string }): Promise<void> {
  const deployment = await readWorkerDeployment(client, request.deploymentName);
  if (!deployment?.ramping) return;
  const noRamp = { buildId: '', percentage: 0, conflictToken: deployment.token };
  await client.workflowService.setWorkerDeploymentRampingVersion({ ...request, ...noRamp });
}

const toBuild = (deploymentName: string, buildId: string | null): WorkerBuild | undefined =>
  buildId === null ? undefined : { deploymentName, buildId };
