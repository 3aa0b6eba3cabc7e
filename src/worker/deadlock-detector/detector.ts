import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import path from 'node:path';
import threads from 'node:worker_threads';
import type { InstrumentedThreadData } from './instrumented-thread';
import { allocateSharedCallState, openSharedCallState, type SharedCallState } from './shared-state';

const CHECK_INTERVAL_MS = 1_000;
/** Thousands of signals in one task on a crowded machine take a while. */
const MAX_UNCHANGED_CHECKS = 60;

/** What the SDK runs workflows in. */
const SDK_THREAD_FILE = 'workflow-worker-thread.js';

export interface DeadlockDetector {
  /** Rejects when workflow code does not come to an end. */
  endless: Promise<never>;
  stop(): void;
}

/**
 * Have the workflows of the worker that is made here watched, all by one timer: the SDK's own watch takes more time than the
 * workflows do (`docs/performance.md`). Node cannot stop code in the middle without the whole process going down
 * (nodejs/node#38503), so that is what has to happen, and whose code it was is told.
 */
export async function withDeadlockDetection<T>(
  make: () => Promise<T>,
  { everyMs = CHECK_INTERVAL_MS, looks = MAX_UNCHANGED_CHECKS } = {},
): Promise<{ made: T; watch: DeadlockDetector }> {
  const seen: WatchedThread[] = [];
  let timer: NodeJS.Timeout | undefined;
  const endless = new Promise<never>((_, reject) => {
    // Looks are counted, not time: a process that was stopped for a while has lost nothing.
    timer = setInterval(() => {
      for (const one of seen)
        if (countUnchangedChecks(one) >= looks)
          reject(new WorkflowDeadlockError(one.marks.workflowId(), (everyMs * looks) / 1_000));
    }, everyMs).unref();
  });
  endless.catch(() => undefined);
  const watch = { endless, stop: () => clearInterval(timer) };
  try {
    return { made: await Promise.race([withInstrumentedThreads(seen, make), endless]), watch };
  } catch (error) {
    watch.stop();
    throw error;
  }
}

export class WorkflowDeadlockError extends Error {
  constructor(
    readonly workflowId: string,
    seconds: number,
  ) {
    super(
      `The code of conversation ${workflowId} has not come to an end for ${seconds} s, and nothing else moves on this worker, which stops. ` +
        'If that happens again after a restart, end that conversation: temporal workflow terminate.',
    );
    this.name = 'EndlessWorkflow';
  }
}

/** A thread, and how often in a row it was found in the same call. */
interface WatchedThread {
  marks: SharedCallState;
  call?: number;
  count: number;
}

function countUnchangedChecks(one: WatchedThread): number {
  const call = one.marks.call();
  one.count = call !== undefined && call === one.call ? one.count + 1 : 0;
  one.call = call;
  return one.count;
}

const threadsBeingCreated = new AsyncLocalStorage<WatchedThread[]>();
let activeCreations = 0;
const OriginalWorker = threads.Worker;

/** The SDK takes no thread from outside. While it makes its own for us, it finds a class here that has them marked. */
async function withInstrumentedThreads<T>(seen: WatchedThread[], make: () => Promise<T>): Promise<T> {
  activeCreations += 1;
  threads.Worker = InstrumentedWorker;
  try {
    return await threadsBeingCreated.run(seen, make);
  } finally {
    activeCreations -= 1;
    if (activeCreations === 0) {
      threads.Worker = OriginalWorker;
      // Each promise of this thread would go on paying for it.
      threadsBeingCreated.disable();
    }
  }
}

class InstrumentedWorker extends OriginalWorker {
  constructor(file: string | URL, options?: threads.WorkerOptions) {
    const seen = threadsBeingCreated.getStore();
    if (!seen || typeof file !== 'string' || path.basename(file) !== SDK_THREAD_FILE) {
      super(file, options);
      return;
    }
    const memory = allocateSharedCallState();
    seen.push({ marks: openSharedCallState(memory), count: 0 });
    super(instrumentedThreadFile(), {
      ...options,
      workerData: { memory, file } satisfies InstrumentedThreadData,
    });
  }
}

/** Compiled: a thread has nobody to do it for it. */
function instrumentedThreadFile(): string {
  const beside = path.join(__dirname, 'instrumented-thread.js');
  return existsSync(beside)
    ? beside
    : path.join(__dirname, '../../..', 'dist/src/worker/deadlock-detector/instrumented-thread.js');
}
