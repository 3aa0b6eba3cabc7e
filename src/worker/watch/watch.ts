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
  const seen: Seen[] = [];
  let timer: NodeJS.Timeout | undefined;
  const endless = new Promise<never>((_, reject) => {
    // Looks are counted, not time: a process that was stopped for a while has lost nothing.
    timer = setInterval(() => {
      for (const one of seen)
        if (look(one) >= looks)
          reject(new EndlessWorkflow(one.marks.workflowId(), (everyMs * looks) / 1_000));
    }, everyMs).unref();
  });
  endless.catch(() => undefined);
  const watch = { endless, stop: () => clearInterval(timer) };
  try {
    return { made: await Promise.race([asWatched(seen, make), endless]), watch };
  } catch (error) {
    watch.stop();
    throw error;
  }
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

/** A thread, and how often in a row it was found in the same call. */
interface Seen {
  marks: Marks;
  call?: number;
  count: number;
}

function look(one: Seen): number {
  const call = one.marks.call();
  one.count = call !== undefined && call === one.call ? one.count + 1 : 0;
  one.call = call;
  return one.count;
}

const making = new AsyncLocalStorage<Seen[]>();
let under = 0;
const Plain = threads.Worker;

/** The SDK takes no thread from outside. While it makes its own for us, it finds a class here that has them marked. */
async function asWatched<T>(seen: Seen[], make: () => Promise<T>): Promise<T> {
  under += 1;
  threads.Worker = Marked;
  try {
    return await making.run(seen, make);
  } finally {
    under -= 1;
    if (under === 0) {
      threads.Worker = Plain;
      // Each promise of this thread would go on paying for it.
      making.disable();
    }
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
    seen.push({ marks: marksIn(memory), count: 0 });
    super(threadFile(), { ...options, workerData: { memory, file } satisfies Given });
  }
}

/** Compiled: a thread has nobody to do it for it. */
function threadFile(): string {
  const beside = path.join(__dirname, 'thread.js');
  return existsSync(beside) ? beside : path.join(__dirname, '../../..', 'dist/src/worker/watch/thread.js');
}
