import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/**
 * Loaded into each thread of a worker process with `--require`. Workflows run in a thread of the SDK with a separate
 * heap, which can only be collected and measured from inside.
 */

/** JavaScript heap after a collection, including buffers. */
export interface HeapStats {
  heapBytes: number;
}

type HeapMessage = { ask: number } | { answer: number; heap: HeapStats } | { here: true };

const channel = new BroadcastChannel('bench-heaps');
let threadCount = 0;
let requestCount = 0;
let onHeapReport: (answer: number, heap: HeapStats) => void = () => undefined;

channel.onmessage = (event) => {
  const message = (event as { data: HeapMessage }).data;
  if (isMainThread) {
    if ('here' in message) threadCount += 1;
    if ('answer' in message) onHeapReport(message.answer, message.heap);
  } else if ('ask' in message) {
    channel.postMessage({ answer: message.ask, heap: readThreadHeap() } satisfies HeapMessage);
  }
};
channel.unref();
if (!isMainThread) channel.postMessage({ here: true } satisfies HeapMessage);

function readThreadHeap(): HeapStats {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return { heapBytes: heapUsed + external };
}

/** Returns the heap of all threads together. Called by the main thread. */
export function collectHeapStats(): Promise<HeapStats> {
  requestCount += 1;
  const requestId = requestCount;
  const total = readThreadHeap();
  let pendingThreads = threadCount;
  return new Promise((resolve) => {
    onHeapReport = (answer, { heapBytes }) => {
      if (answer !== requestId) return;
      total.heapBytes += heapBytes;
      pendingThreads -= 1;
      if (pendingThreads === 0) resolve(total);
    };
    if (pendingThreads === 0) return resolve(total);
    channel.postMessage({ ask: requestId } satisfies HeapMessage);
  });
}
