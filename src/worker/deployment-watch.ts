import type { Log } from '#infra/log';
import { formatPromoteCommand, receivesTasks, type TaskQueueState, type WorkerBuild } from '#infra/temporal/task-queue';

const DEPLOYMENT_CHECK_INTERVAL_MS = 30_000;

/**
 * A worker whose build is not the current one is given nothing to do, and nothing tells it. So it looks, and says so, and
 * again when that changes.
 */
export function watchDeployment(
  look: () => Promise<TaskQueueState>,
  build: WorkerBuild | undefined,
  log: Log,
  everyMs = DEPLOYMENT_CHECK_INTERVAL_MS,
): { stop(): void } {
  let said: string | undefined = build ? undefined : describeDeployment(NO_CURRENT_BUILD, build).text;
  const tell = async () => {
    const queue = await look();
    const { text, isIdle } = describeDeployment(queue, build);
    if (text === said) return;
    said = text;
    log[isIdle ? 'warn' : 'info']({ ...build, current: queue.current?.buildId ?? null }, text);
  };
  // Temporal being away is told elsewhere.
  const lookAgain = () => void tell().catch(() => undefined);
  lookAgain();
  const timer = setInterval(lookAgain, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

const NO_CURRENT_BUILD: TaskQueueState = { pollers: [], current: undefined, ramping: undefined, percent: 0 };

function describeDeployment(queue: TaskQueueState, build: WorkerBuild | undefined): { text: string; isIdle: boolean } {
  const { current, percent } = queue;
  if (receivesTasks(queue, build)) {
    const share = percent > 0 ? `, for its share of the conversations: ${percent} % are ramping` : '';
    const what = build ? `build ${build.buildId}` : 'this worker';
    return { text: `${what} takes conversations up${share}`, isIdle: false };
  }
  if (build)
    return {
      text: `this build is not the current one, and gets no work: ${formatPromoteCommand(build)}`,
      isIdle: true,
    };
  return {
    text: `this worker has no PARLEY_BUILD_ID and gets no work, since build ${current?.buildId} is the current one: set PARLEY_BUILD_ID, or ${formatPromoteCommand(undefined, current?.deploymentName)}`,
    isIdle: true,
  };
}
