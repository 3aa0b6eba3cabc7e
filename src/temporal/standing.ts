import type { Log } from '#log';
import { type Build, promotionOf } from './deployment';
import { getsWork, type TaskQueue } from './task-queue';

const LOOK_MS = 30_000;

/**
 * A worker whose build is not the current one is given nothing to do, and nothing tells it. So it looks, and says so, and
 * again when that changes.
 */
export function watchStanding(
  look: () => Promise<TaskQueue>,
  build: Build | undefined,
  log: Log,
  everyMs = LOOK_MS,
): { stop(): void } {
  let said: string | undefined = build ? undefined : sentenceOf(NOTHING_SET, build).text;
  const tell = async () => {
    const queue = await look();
    const { text, isIdle } = sentenceOf(queue, build);
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

const NOTHING_SET: TaskQueue = { pollers: [], current: undefined, ramping: undefined, percent: 0 };

function sentenceOf(queue: TaskQueue, build: Build | undefined): { text: string; isIdle: boolean } {
  const { current, percent } = queue;
  if (getsWork(queue, build)) {
    const share = percent > 0 ? `, for its share of the conversations: ${percent} % are ramping` : '';
    const what = build ? `build ${build.buildId}` : 'this worker';
    return { text: `${what} takes conversations up${share}`, isIdle: false };
  }
  if (build)
    return {
      text: `this build is not the current one, and gets no work: ${promotionOf(build)}`,
      isIdle: true,
    };
  return {
    text: `this worker has no PARLEY_BUILD_ID and gets no work, since build ${current?.buildId} is the current one: set PARLEY_BUILD_ID, or ${promotionOf(undefined, current?.deploymentName)}`,
    isIdle: true,
  };
}
