/** So much of a workflow's id is kept. */
const MAX_WORKFLOW_ID_BYTES = 512;
const [DEPTH, CALLS, ID_LENGTH] = [0, 1, 2] as const;
const COUNTER_COUNT = 3;

/** In memory that two threads share: whether one of them is in workflow code, in its how manieth call, and whose code it is. */
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
    /** The call it is in, if it is in one. */
    currentCall(): number | undefined {
      return Atomics.load(counters, DEPTH) > 0 ? Atomics.load(counters, CALLS) : undefined;
    },
    workflowId: (): string => idBytes.toString('latin1', 0, Atomics.load(counters, ID_LENGTH)),
  };
}
