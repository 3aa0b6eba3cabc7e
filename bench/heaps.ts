import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/**
 * Loaded before everything else into each thread of a worker process (`--require`): workflows live in a thread of the SDK's,
 * with a heap of its own, which nobody outside of it can tidy up or measure.
 */

/** What JavaScript holds after a collection, buffers too. */
export interface Heap {
  held: number;
}

type Word = { ask: number } | { answer: number; heap: Heap } | { here: true };

const channel = new BroadcastChannel('bench-heaps');
let threads = 0;
let asked = 0;
let heard: (answer: number, heap: Heap) => void = () => undefined;

channel.onmessage = (event) => {
  const word = (event as { data: Word }).data;
  if (isMainThread) {
    if ('here' in word) threads += 1;
    if ('answer' in word) heard(word.answer, word.heap);
  } else if ('ask' in word) {
    channel.postMessage({ answer: word.ask, heap: ownHeap() } satisfies Word);
  }
};
channel.unref();
if (!isMainThread) channel.postMessage({ here: true } satisfies Word);

function ownHeap(): Heap {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return { held: heapUsed + external };
}

/** Of all threads together, for the main one to ask. */
export function collectHeaps(): Promise<Heap> {
  asked += 1;
  const question = asked;
  const total = ownHeap();
  let missing = threads;
  return new Promise((resolve) => {
    heard = (answer, { held }) => {
      if (answer !== question) return;
      total.held += held;
      missing -= 1;
      if (missing === 0) resolve(total);
    };
    if (missing === 0) return resolve(total);
    channel.postMessage({ ask: question } satisfies Word);
  });
}
