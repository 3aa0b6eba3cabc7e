import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { formatPromoteCommand, isSameBuild, readTaskQueue, type WorkerBuild } from '#infra/temporal/task-queue';

export interface PromotionRequest {
  deploymentName: string;
  /** Undefined: the workers without one. */
  buildId: string | undefined;
  /** Undefined: it becomes the current one. */
  percent?: number;
  isForced: boolean;
  taskQueue: string;
  /** How long to wait for its workers. */
  waitMs: number;
}

/** Why a build was not promoted: what a person may mend, or overrule with --force. */
export class PromotionRefusedError extends Error {}

const POLL_INTERVAL_MS = 500;

/** Have a build take conversations up: all of them, or a part. Gives what to tell, line by line. */
export async function promoteBuild(
  client: Client,
  wanted: PromotionRequest,
  progress: (line: string) => void,
): Promise<string[]> {
  const patience = Date.now() + wanted.waitMs;
  if (!wanted.isForced) await waitForPollers(client, wanted, progress);
  return describePromotion(wanted, await changeWhenAccepted(client, wanted, patience));
}

/** Temporal hears of a build's workers a moment after they ask for work. Gives what was before. */
async function changeWhenAccepted(
  client: Client,
  wanted: PromotionRequest,
  patience: number,
): Promise<WorkerDeployment> {
  for (;;) {
    const before = await readWorkerDeployment(client, wanted.deploymentName);
    if (!before || (wanted.buildId !== undefined && !before.builds.includes(wanted.buildId)))
      throw new PromotionRefusedError(formatUnknownBuild(wanted, before));
    try {
      await changeRouting(client, { ...wanted, token: before.token });
      return before;
    } catch (error) {
      const { code, details } = findGrpcError(error);
      // The server says so itself when many task queues change at once.
      const isPassing = code === GRPC_STATUS.INTERNAL && /please retry/i.test(details) && Date.now() < patience;
      if (code !== GRPC_STATUS.FAILED_PRECONDITION && !isPassing) throw error;
      if (isPassing) {
        await pause(POLL_INTERVAL_MS);
        continue;
      }
      if (!/task queue|poller/i.test(details)) throw new PromotionRefusedError(`Temporal refused: ${details}.`);
      if (Date.now() > patience)
        throw new PromotionRefusedError(
          `Temporal refused: ${details}. Start its workers on every task queue; with --force it is done all the same.`,
        );
    }
    await pause(POLL_INTERVAL_MS);
  }
}

/** A build that nobody runs would leave every answer waiting. */
async function waitForPollers(
  client: Client,
  { taskQueue, deploymentName, buildId, waitMs }: PromotionRequest,
  progress: (line: string) => void,
): Promise<void> {
  const build = toBuild(deploymentName, buildId ?? null);
  const patience = Date.now() + waitMs;
  const isPolled = async () =>
    (await readTaskQueue(client, taskQueue)).pollers.some((poller) => isSameBuild(poller.build, build));
  if (await isPolled()) return;
  const nobody = `No worker ${buildId ? `of build ${buildId}` : 'without a build id'} asks for work`;
  progress(`${nobody} yet: waiting ${Math.round(waitMs / 1_000)} s for one …`);
  while (Date.now() < patience) {
    await pause(POLL_INTERVAL_MS);
    if (await isPolled()) return;
  }
  const start = buildId ? ` with PARLEY_BUILD_ID=${buildId}` : ' without PARLEY_BUILD_ID';
  const known = formatUnknownBuildHint(await readWorkerDeployment(client, deploymentName), buildId);
  throw new PromotionRefusedError(
    `${nobody} on the task queue ${taskQueue}. Start one${start} first; with --force it is done all the same, and conversations wait until there is one.${known}`,
  );
}

function formatUnknownBuildHint(deployment: WorkerDeployment | undefined, buildId: string | undefined): string {
  if (!deployment || buildId === undefined || deployment.builds.includes(buildId)) return '';
  return ` Temporal has never seen that build, only ${deployment.builds.join(', ') || 'none'}.`;
}

function formatUnknownBuild(
  { deploymentName, buildId }: PromotionRequest,
  found: WorkerDeployment | undefined,
): string {
  if (!found)
    return `There is no deployment ${deploymentName}: Temporal makes it when its first worker starts. Start one with PARLEY_BUILD_ID=${buildId ?? '…'} and PARLEY_DEPLOYMENT=${deploymentName}.`;
  return `There is no build ${buildId} in the deployment ${deploymentName}, only ${found.builds.join(', ') || 'none'}. Start a worker with PARLEY_BUILD_ID=${buildId} first.`;
}

function describePromotion(
  { deploymentName, buildId, percent }: PromotionRequest,
  { current, ramping }: WorkerDeployment,
): string[] {
  const now = { buildId: buildId ?? null, percent };
  const isNoChange = percent === undefined && current === now.buildId && !ramping;
  if (isNoChange) return [describeRouting(now, current), 'It was so before.'];
  const promotionTo = (build: string | null) => formatPromoteCommand(toBuild(deploymentName, build), deploymentName);
  const wasRamping = ramping && percent === undefined && current === now.buildId;
  const back = wasRamping ? `${promotionTo(ramping.buildId)} --ramp ${ramping.percent}` : promotionTo(current);
  const others = ramping ? `, and ${formatBuildName(ramping.buildId)} ${ramping.percent} % of them` : '';
  return [
    describeRouting(now, current),
    ...(percent === undefined ? [`Before, ${formatBuildName(current)} took them up${others}.`] : []),
    `To go back: ${back}`,
  ];
}

function describeRouting(now: { buildId: string | null; percent?: number }, current: string | null): string {
  const name = capitalize(formatBuildName(now.buildId));
  const takes = now.buildId === null ? 'take' : 'takes';
  if (now.percent !== undefined)
    return `${name} ${takes} up ${now.percent} % of the conversations; ${formatBuildName(current)} the rest.`;
  if (now.buildId === null) return `${name} take up every conversation at its next step.`;
  return `${name} is the current one: it takes up every conversation at its next step.`;
}

function formatBuildName(buildId: string | null): string {
  return buildId === null ? 'workers without a build id' : `build ${buildId}`;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A deployment as Temporal has it: its builds, and which of them are given work. */
interface WorkerDeployment {
  builds: string[];
  /** Null stands for workers that have no build id. */
  current: string | null;
  ramping: { buildId: string | null; percent: number } | undefined;
  /** Changes when somebody changes it: two who promote at once do not undo each other unseen. */
  token: Uint8Array | undefined;
}

/** Undefined where no worker of it has ever asked for work. */
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

export interface RoutingChange {
  deploymentName: string;
  /** Undefined: the workers without one. */
  buildId: string | undefined;
  /** Undefined: it becomes the current one. */
  percent?: number;
  isForced: boolean;
  token: Uint8Array | undefined;
}

async function changeRouting(client: Client, wanted: RoutingChange): Promise<void> {
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
async function endRamp(client: Client, request: { namespace: string; deploymentName: string }): Promise<void> {
  const now = await readWorkerDeployment(client, request.deploymentName);
  if (!now?.ramping) return;
  const nobody = { buildId: '', percentage: 0, conflictToken: now.token };
  await client.workflowService.setWorkerDeploymentRampingVersion({ ...request, ...nobody });
}

const toBuild = (deploymentName: string, buildId: string | null): WorkerBuild | undefined =>
  buildId === null ? undefined : { deploymentName, buildId };
