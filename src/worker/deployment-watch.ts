import type { Log } from '#infra/log';
import { formatPromoteCommand, receivesTasks, type TaskQueueState, type WorkerBuild } from '#infra/temporal/task-queue';

const DEPLOYMENT_CHECK_INTERVAL_MS = 30_000;

/**
 * Logs whether this worker receives tasks, and again when that changes. A worker whose build is not the current one
 * gets none, and Temporal does not report that.
 */
export function watchDeployment(
  readQueue: () => Promise<TaskQueueState>,
  build: WorkerBuild | undefined,
  log: Log,
  intervalMs = DEPLOYMENT_CHECK_INTERVAL_MS,
): { stop(): void } {
  let lastText: string | undefined = build ? undefined : describeDeployment(NO_CURRENT_BUILD, build).text;
  const logChange = async () => {
    const queue = await readQueue();
    const { text, isIdle } = describeDeployment(queue, build);
    if (text === lastText) return;
    lastText = text;
    log[isIdle ? 'warn' : 'info']({ ...build, current: queue.currentBuild?.buildId ?? null }, text);
  };
  // An unreachable Temporal is reported elsewhere.
  const check = () => void logChange().catch(() => undefined);
  check();
  const timer = setInterval(check, intervalMs).unref();
  return { stop: () => clearInterval(timer) };
}

const NO_CURRENT_BUILD: TaskQueueState = {
  pollers: [],
  currentBuild: undefined,
  rampingBuild: undefined,
  rampingPercent: 0,
};

function describeDeployment(queue: TaskQueueState, build: WorkerBuild | undefined): { text: string; isIdle: boolean } {
  const { currentBuild, rampingPercent } = queue;
  if (receivesTasks(queue, build)) {
    const share = rampingPercent > 0 ? `, for its share of the conversations: ${rampingPercent} % are ramping` : '';
    const subject = build ? `build ${build.buildId}` : 'this worker';
    return { text: `${subject} now handles conversations${share}`, isIdle: false };
  }
  if (build)
    return {
      text: `this build is not the current one and gets no work: ${formatPromoteCommand(build)}`,
      isIdle: true,
    };
  return {
    text: `this worker has no PARLEY_BUILD_ID and gets no work, because build ${currentBuild?.buildId} is current: set PARLEY_BUILD_ID, or ${formatPromoteCommand(undefined, currentBuild?.deploymentName)}`,
    isIdle: true,
  };
}
