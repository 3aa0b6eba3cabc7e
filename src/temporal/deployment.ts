import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '#config';

export type Build = NonNullable<Config['build']>;

/** Conversations outlive builds: whichever is the current one takes all of them up, parked ones too, at their next step. */
export function deploymentOf(build: Build | undefined): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (!build) return {};
  const workerDeploymentOptions = {
    useWorkerVersioning: true,
    version: build,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  } as const;
  return { workerDeploymentOptions };
}

export function isSame(one: Build | undefined, other: Build | undefined): boolean {
  return one?.buildId === other?.buildId && one?.deploymentName === other?.deploymentName;
}

/** What a person types to make a build the current one. Undefined stands for workers that have no build id. */
export function promotionOf(build: Build | undefined, deploymentName = build?.deploymentName): string {
  const more = deploymentName && deploymentName !== 'parley' ? ` --deployment ${deploymentName}` : '';
  return `npm run promote -- ${build?.buildId ?? '--unversioned'}${more}`;
}
