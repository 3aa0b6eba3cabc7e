import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import path from 'node:path';
import threads from 'node:worker_threads';
import { type Marks, marksIn, newMarks } from './marks';
import type { Given } from './thread';

const EVERY_MS = 1_000;
/** Thousands of signals in one task on a crowded machine take a while. */
const LOOKS = 60;

/** What the SDK runs workflows in. */
const WATCHED = 'workflow-worker-thread.js';

export interface Watch {
  /** Rejects when workflow code does not come to an end. */
  endless: Promise<never>;
  stop(): void;
}

/**
 * Have the workflows of the worker that is made here watched, all by one timer: the SDK's own watch takes more time than the
 * workflows do (`docs/performance.md`). Node cannot stop code in the middle without the whole process going down
 * (nodejs/node#38503), so that is what has to happen, and whose code it was is told.
 */
export async function watched<T>(
  make: () => Promise<T>,
  { everyMs = EVERY_MS, looks = LOOKS } = {},
): Promise<{ made: T; watch: Watch }> {
  const seen: Marks[] = [];
  const made = await asWatched(seen, make);
  let timer: NodeJS.Timeout | undefined;
  const endless = new Promise<never>((_, reject) => {
    const watches = seen.map((marks) => lookAt(marks, looks));
    // Looks are counted, not time: a process that was stopped for a while has lost nothing.
    timer = setInterval(() => {
      for (const isEndless of watches) {
        const workflowId = isEndless();
        if (workflowId !== undefined) reject(new EndlessWorkflow(workflowId, (everyMs * looks) / 1_000));
      }
    }, everyMs).unref();
  });
  endless.catch(() => undefined);
  return { made, watch: { endless, stop: () => clearInterval(timer) } };
}

export class EndlessWorkflow extends Error {
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

/** Whose call it is, when every look for so long has found the thread in the same one. */
function lookAt(marks: Marks, looks: number): () => string | undefined {
  let [last, count] = [marks.call(), 0];
  return () => {
    const call = marks.call();
    count = call !== undefined && call === last ? count + 1 : 0;
    last = call;
    return count >= looks ? marks.workflowId() : undefined;
  };
}

const making = new AsyncLocalStorage<Marks[]>();
let under = 0;
const Plain = threads.Worker;

/** The SDK takes no thread from outside. While it makes its own for us, it finds a class here that has them marked. */
async function asWatched<T>(seen: Marks[], make: () => Promise<T>): Promise<T> {
  under += 1;
  threads.Worker = Marked;
  try {
    return await making.run(seen, make);
  } finally {
    under -= 1;
    if (under === 0) threads.Worker = Plain;
  }
}

class Marked extends Plain {
  constructor(file: string | URL, options?: threads.WorkerOptions) {
    const seen = making.getStore();
    if (!seen || typeof file !== 'string' || path.basename(file) !== WATCHED) {
      super(file, options);
      return;
    }
    const memory = newMarks();
    seen.push(marksIn(memory));
    super(threadFile(), { ...options, workerData: { memory, file } satisfies Given });
  }
}

/** Compiled: a thread has nobody to do it for it. */
function threadFile(): string {
  const beside = path.join(__dirname, 'thread.js');
  return existsSync(beside) ? beside : path.join(__dirname, '../../..', 'dist/src/worker/watch/thread.js');
}
