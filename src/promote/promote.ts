import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isSame, promotionOf } from '#temporal/deployment';
import { GRPC, grpcOf } from '#temporal/grpc';
import { describeQueue } from '#temporal/task-queue';
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
  const patience = Date.now() + wanted.waitMs;
  if (!wanted.isForced) await untilPolled(client, wanted, progress);
  return told(wanted, await untilTaken(client, wanted, patience));
}

/** Temporal hears of a build's workers a moment after they ask for work. Gives what was before. */
async function untilTaken(client: Client, wanted: Wanted, patience: number): Promise<Deployment> {
  for (;;) {
    const before = await describeDeployment(client, wanted.deploymentName);
    if (!before || (wanted.buildId !== undefined && !before.builds.includes(wanted.buildId)))
      throw new Refused(unknown(wanted, before));
    try {
      await change(client, { ...wanted, token: before.token });
      return before;
    } catch (error) {
      const { code, details } = grpcOf(error);
      // The server says so itself when many task queues change at once.
      const isPassing = code === GRPC.INTERNAL && /please retry/i.test(details) && Date.now() < patience;
      if (code !== GRPC.FAILED_PRECONDITION && !isPassing) throw error;
      if (isPassing) {
        await pause(LOOK_MS);
        continue;
      }
      if (!/task queue|poller/i.test(details)) throw new Refused(`Temporal refused: ${details}.`);
      if (Date.now() > patience)
        throw new Refused(
          `Temporal refused: ${details}. Start its workers on every task queue; with --force it is done all the same.`,
        );
    }
    await pause(LOOK_MS);
  }
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
  const nobody = `No worker ${buildId ? `of build ${buildId}` : 'without a build id'} asks for work`;
  progress(`${nobody} yet: waiting ${Math.round(waitMs / 1_000)} s for one …`);
  while (Date.now() < patience) {
    await pause(LOOK_MS);
    if (await isPolled()) return;
  }
  const start = buildId ? ` with PARLEY_BUILD_ID=${buildId}` : ' without PARLEY_BUILD_ID';
  const known = unlessKnown(await describeDeployment(client, deploymentName), buildId);
  throw new Refused(
    `${nobody} on the task queue ${taskQueue}. Start one${start} first; with --force it is done all the same, and conversations wait until there is one.${known}`,
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
  const now = { buildId: buildId ?? null, percent };
  const isNoChange = percent === undefined && current === now.buildId && !ramping;
  if (isNoChange) return [standingOf(now, current), 'It was so before.'];
  const promotionTo = (build: string | null) =>
    promotionOf(buildNamed(deploymentName, build), deploymentName);
  const wasRamping = ramping && percent === undefined && current === now.buildId;
  const back = wasRamping
    ? `${promotionTo(ramping.buildId)} --ramp ${ramping.percent}`
    : promotionTo(current);
  const others = ramping ? `, and ${nameOf(ramping.buildId)} ${ramping.percent} % of them` : '';
  return [
    standingOf(now, current),
    ...(percent === undefined ? [`Before, ${nameOf(current)} took them up${others}.`] : []),
    `To go back: ${back}`,
  ];
}

function standingOf(now: { buildId: string | null; percent?: number }, current: string | null): string {
  const name = capital(nameOf(now.buildId));
  const takes = now.buildId === null ? 'take' : 'takes';
  if (now.percent !== undefined)
    return `${name} ${takes} up ${now.percent} % of the conversations; ${nameOf(current)} the rest.`;
  if (now.buildId === null) return `${name} take up every conversation at its next step.`;
  return `${name} is the current one: it takes up every conversation at its next step.`;
}

function nameOf(buildId: string | null): string {
  return buildId === null ? 'workers without a build id' : `build ${buildId}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
