/** The environment data that an instrumented thread starts with: what it records calls in, and the SDK's file that it runs. */
export interface InstrumentedThreadData {
  memory: SharedArrayBuffer;
  file: string;
}

export const THREAD_DATA_KEY = 'parley/deadlock-detector';

/** Longer workflow ids are cut off. */
const MAX_WORKFLOW_ID_BYTES = 512;
const [DEPTH, CALLS, ID_LENGTH] = [0, 1, 2] as const;
const COUNTER_COUNT = 3;

/** The state of a workflow thread, in memory that two threads share: whether it is in a call, the number of the call, and the workflow's id. */
export type SharedCallState = ReturnType<typeof openSharedCallState>;

export function allocateSharedCallState(): SharedArrayBuffer {
  return new SharedArrayBuffer(COUNTER_COUNT * Int32Array.BYTES_PER_ELEMENT + MAX_WORKFLOW_ID_BYTES);
}

export function openSharedCallState(memory: SharedArrayBuffer) {
  const counters = new Int32Array(memory, 0, COUNTER_COUNT);
  const idBytes = Buffer.from(memory, COUNTER_COUNT * Int32Array.BYTES_PER_ELEMENT);
  return {
    enter(workflowId: string): void {
      Atomics.store(counters, ID_LENGTH, idBytes.write(workflowId, 'latin1'));
      Atomics.add(counters, CALLS, 1);
      Atomics.add(counters, DEPTH, 1);
    },
    leave(): void {
      Atomics.sub(counters, DEPTH, 1);
    },
    /** The number of the call it is in, if any. */
    currentCall(): number | undefined {
      return Atomics.load(counters, DEPTH) > 0 ? Atomics.load(counters, CALLS) : undefined;
    },
    workflowId: (): string => idBytes.toString('latin1', 0, Atomics.load(counters, ID_LENGTH)),
  };
}
