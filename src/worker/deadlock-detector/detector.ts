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
  /** Rejects when workflow code does not return in time. */
  deadlocked: Promise<never>;
  stop(): void;
}

/**
 * Watches the workflow threads of the worker that `create` makes, with a single timer: the SDK's own timeout costs more
 * than the workflows do (`docs/performance.md`). Node cannot interrupt code without ending the process
 * (nodejs/node#38503), so the caller has to exit; the error names the workflow.
 */
export async function withDeadlockDetection<T>(
  create: () => Promise<T>,
  { intervalMs = CHECK_INTERVAL_MS, maxUnchangedChecks = MAX_UNCHANGED_CHECKS } = {},
): Promise<{ created: T; detector: DeadlockDetector }> {
  const watchedThreads: WatchedThread[] = [];
  let timer: NodeJS.Timeout | undefined;
  const deadlocked = new Promise<never>((_, reject) => {
    // Counts checks rather than time, so that a suspended process is not mistaken for a deadlock.
    timer = setInterval(() => {
      for (const thread of watchedThreads)
        if (countUnchangedChecks(thread) >= maxUnchangedChecks)
          reject(new WorkflowDeadlockError(thread.callState.workflowId(), (intervalMs * maxUnchangedChecks) / 1_000));
    }, intervalMs).unref();
  });
  deadlocked.catch(() => undefined);
  const detector = { deadlocked, stop: () => clearInterval(timer) };
  try {
    return { created: await Promise.race([withInstrumentedThreads(watchedThreads, create), deadlocked]), detector };
  } catch (error) {
    detector.stop();
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

/** A thread, and how many checks in a row found it in the same call. */
interface WatchedThread {
  callState: SharedCallState;
  lastCall?: number;
  unchangedChecks: number;
}

function countUnchangedChecks(thread: WatchedThread): number {
  const currentCall = thread.callState.currentCall();
  thread.unchangedChecks =
    currentCall !== undefined && currentCall === thread.lastCall ? thread.unchangedChecks + 1 : 0;
  thread.lastCall = currentCall;
  return thread.unchangedChecks;
}

const threadsBeingCreated = new AsyncLocalStorage<WatchedThread[]>();
let activeCreations = 0;
const OriginalWorker = threads.Worker;

/** The SDK accepts no threads from outside. While it creates its own, the Worker class is replaced by an instrumented one. */
async function withInstrumentedThreads<T>(watchedThreads: WatchedThread[], create: () => Promise<T>): Promise<T> {
  activeCreations += 1;
  threads.Worker = InstrumentedWorker;
  try {
    return await threadsBeingCreated.run(watchedThreads, create);
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
    const watchedThreads = threadsBeingCreated.getStore();
    if (!watchedThreads || typeof file !== 'string' || path.basename(file) !== SDK_THREAD_FILE) {
      super(file, options);
      return;
    }
    const memory = allocateSharedCallState();
    watchedThreads.push({ callState: openSharedCallState(memory), unchangedChecks: 0 });
    super(instrumentedThreadFile(), {
      ...options,
      workerData: { memory, file } satisfies InstrumentedThreadData,
    });
  }
}

/** The compiled file: a thread cannot load TypeScript. */
function instrumentedThreadFile(): string {
  const compiledFile = path.join(__dirname, 'instrumented-thread.js');
  return existsSync(compiledFile)
    ? compiledFile
    : path.join(__dirname, '../../..', 'dist/src/worker/deadlock-detector/instrumented-thread.js');
}
