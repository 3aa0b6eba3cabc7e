import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isSame, promotionOf } from '../temporal/deployment';
import { describeQueue } from '../temporal/task-queue';
import { buildNamed, change, type Deployment, describeDeployment } from './deployment';

export interface Wanted {
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
export class Refused extends Error {}

const LOOK_MS = 500;

/** Have a build take conversations up: all of them, or a part. Gives what to tell, line by line. */
export async function promote(
  client: Client,
  wanted: Wanted,
  progress: (line: string) => void,
): Promise<string[]> {
  const { deploymentName, buildId, isForced } = wanted;
  if (!isForced) await untilPolled(client, wanted, progress);
  const before = await describeDeployment(client, deploymentName);
  if (!before || (buildId !== undefined && !before.builds.includes(buildId)))
    throw new Refused(unknown(wanted, before));
  await change(client, { ...wanted, token: before.token });
  return told(wanted, before);
}

/** A build that nobody runs would leave every answer waiting. */
async function untilPolled(
  client: Client,
  { taskQueue, deploymentName, buildId, waitMs }: Wanted,
  progress: (line: string) => void,
): Promise<void> {
  const build = buildNamed(deploymentName, buildId ?? null);
  const patience = Date.now() + waitMs;
  const isPolled = async () =>
    (await describeQueue(client, taskQueue)).pollers.some((poller) => isSame(poller.build, build));
  if (await isPolled()) return;
  progress(
    `No worker of ${nameOf(buildId)} asks for work yet: waiting ${Math.round(waitMs / 1_000)} s for one …`,
  );
  while (Date.now() < patience) {
    await pause(LOOK_MS);
    if (await isPolled()) return;
  }
  const start = buildId ? ` with PARLEY_BUILD_ID=${buildId}` : ' without PARLEY_BUILD_ID';
  const known = unlessKnown(await describeDeployment(client, deploymentName), buildId);
  throw new Refused(
    `No worker of ${nameOf(buildId)} asks for work on the task queue ${taskQueue}. Start one${start} first; with --force it is done all the same, and conversations wait until there is one.${known}`,
  );
}

function unlessKnown(deployment: Deployment | undefined, buildId: string | undefined): string {
  if (!deployment || buildId === undefined || deployment.builds.includes(buildId)) return '';
  return ` Temporal has never seen that build, only ${deployment.builds.join(', ') || 'none'}.`;
}

function unknown({ deploymentName, buildId }: Wanted, found: Deployment | undefined): string {
  if (!found)
    return `There is no deployment ${deploymentName}: Temporal makes it when its first worker starts. Start one with PARLEY_BUILD_ID=${buildId ?? '…'} and PARLEY_DEPLOYMENT=${deploymentName}.`;
  return `There is no build ${buildId} in the deployment ${deploymentName}, only ${found.builds.join(', ') || 'none'}. Start a worker with PARLEY_BUILD_ID=${buildId} first.`;
}

function told({ deploymentName, buildId, percent }: Wanted, { current, ramping }: Deployment): string[] {
  const now =
    percent === undefined
      ? `${capital(nameOf(buildId))} is the current one: it takes up every conversation at its next step.`
      : `${capital(nameOf(buildId))} takes up ${percent} % of the conversations; ${nameOf(current ?? undefined)} the rest.`;
  const ramped = ramping
    ? ` and ${nameOf(ramping.buildId ?? undefined)} was ramping at ${ramping.percent} %`
    : '';
  const back = promotionOf(buildNamed(deploymentName, current), deploymentName);
  const isNoChange = percent === undefined && current === (buildId ?? null);
  return [
    now,
    isNoChange ? 'It was before.' : `Before, ${nameOf(current ?? undefined)} was the current one${ramped}.`,
    ...(isNoChange ? [] : [`To go back: ${back}`]),
  ];
}

function nameOf(buildId: string | undefined): string {
  return buildId ? `build ${buildId}` : 'the workers without a build id';
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
