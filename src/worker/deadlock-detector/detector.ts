import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import threads from 'node:worker_threads';
import type { Config } from '#infra/config';
import type { Log } from '#infra/log';
import {
  allocateSharedCallState,
  type InstrumentedThreadData,
  openSharedCallState,
  type SharedCallState,
  THREAD_DATA_KEY,
} from './shared-state';

/** How long one call into workflow code may take, by either detector. */
export const MAX_WORKFLOW_CALL_MS = 15_000;
const CHECK_INTERVAL_MS = 1_000;

/** Parley's detector replaces internals of the SDK, so it runs on the version that it was written for and on no other. */
export const SUPPORTED_SDK_VERSION = '1.23.0';

/** The file that the SDK starts its workflow threads with. */
const SDK_THREAD_FILE = 'workflow-worker-thread.js';

export interface DeadlockDetectorOptions {
  detector: Config['deadlockDetector'];
  log: Pick<Log, 'warn'>;
  sdkVersion?: string;
  intervalMs?: number;
  limitMs?: number;
}

export interface DetectedWorker<T> {
  worker: T;
  /** Rejects when workflow code does not return in time. Never settles with the SDK's detector, which acts by itself. */
  deadlocked: Promise<never>;
  stopDetector(): void;
}

/**
 * Watches the workflow threads of the worker that `create` makes with a single timer. The SDK's detector starts a thread for
 * each call into a workflow, which costs more than the workflows do (`docs/internals/performance.md`). Code that does not return
 * cannot be interrupted safely (nodejs/node#38503), so the caller has to exit; the error names the workflow.
 */
export async function withDeadlockDetector<T>(
  create: () => Promise<T>,
  options: DeadlockDetectorOptions,
): Promise<DetectedWorker<T>> {
  const { detector, log, sdkVersion = readSdkVersion() } = options;
  const { intervalMs = CHECK_INTERVAL_MS, limitMs = MAX_WORKFLOW_CALL_MS } = options;
  if (detector === 'parley' && sdkVersion !== SUPPORTED_SDK_VERSION)
    log.warn(
      { sdkVersion, supported: SUPPORTED_SDK_VERSION },
      "Parley's deadlock detector does not support this version of @temporalio/worker. Using the SDK's own, which needs more CPU.",
    );
  if (detector === 'sdk' || sdkVersion !== SUPPORTED_SDK_VERSION)
    return { worker: await create(), deadlocked: new Promise(() => undefined), stopDetector: () => undefined };
  const watchedThreads: WatchedThread[] = [];
  const maxUnchangedChecks = limitMs / intervalMs;
  let timer: NodeJS.Timeout | undefined;
  const deadlocked = new Promise<never>((_, reject) => {
    // Counts checks rather than time, so that a suspended process is not mistaken for a deadlock.
    timer = setInterval(() => {
      for (const thread of watchedThreads)
        if (countUnchangedChecks(thread) >= maxUnchangedChecks)
          reject(new WorkflowDeadlockError(thread.callState.workflowId(), limitMs / 1_000));
    }, intervalMs).unref();
  });
  deadlocked.catch(() => undefined);
  const stopDetector = () => clearInterval(timer);
  try {
    const worker = await Promise.race([withInstrumentedThreads(watchedThreads, create), deadlocked]);
    return { worker, deadlocked, stopDetector };
  } catch (error) {
    stopDetector();
    throw error;
  }
}

export function readSdkVersion(): string {
  return JSON.parse(readFileSync(require.resolve('@temporalio/worker/package.json'), 'utf8')).version;
}

export class WorkflowDeadlockError extends Error {
  constructor(
    readonly workflowId: string,
    seconds: number,
  ) {
    super(
      `The workflow code of ${workflowId} has not returned for ${seconds} s and blocks every conversation of this worker. Stopping the worker. ` +
        'If this happens again after a restart, terminate that conversation: temporal workflow terminate.',
    );
    this.name = 'WorkflowDeadlockError';
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
      // It would continue to slow down every promise of this thread.
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
    // The thread is created with a copy of the environment data; `workerData` stays the SDK's.
    threads.setEnvironmentData(THREAD_DATA_KEY, { memory, file } satisfies InstrumentedThreadData);
    try {
      super(instrumentedThreadFile(), options);
    } finally {
      threads.setEnvironmentData(THREAD_DATA_KEY);
    }
  }
}

/** The compiled file: a thread cannot load TypeScript. */
function instrumentedThreadFile(): string {
  const compiledFile = path.join(__dirname, 'instrumented-thread.js');
  return existsSync(compiledFile)
    ? compiledFile
    : path.join(__dirname, '../../..', 'dist/src/worker/deadlock-detector/instrumented-thread.js');
}
