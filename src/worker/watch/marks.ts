/** So much of a workflow's id is kept. */
const ID_BYTES = 512;
const [DEPTH, CALLS, ID_LENGTH] = [0, 1, 2] as const;
const NUMBERS = 3;

/** In memory that two threads share: whether one of them is in workflow code, in its how manieth call, and whose code it is. */
export type Marks = ReturnType<typeof marksIn>;

export function newMarks(): SharedArrayBuffer {
  return new SharedArrayBuffer(NUMBERS * Int32Array.BYTES_PER_ELEMENT + ID_BYTES);
}

export function marksIn(memory: SharedArrayBuffer) {
  const numbers = new Int32Array(memory, 0, NUMBERS);
  const id = Buffer.from(memory, NUMBERS * Int32Array.BYTES_PER_ELEMENT);
  return {
    enter(workflowId: string): void {
      Atomics.store(numbers, ID_LENGTH, id.write(workflowId, 'latin1'));
      Atomics.add(numbers, CALLS, 1);
      Atomics.add(numbers, DEPTH, 1);
    },
    leave(): void {
      Atomics.sub(numbers, DEPTH, 1);
    },
    /** The call it is in, if it is in one. */
    call(): number | undefined {
      return Atomics.load(numbers, DEPTH) > 0 ? Atomics.load(numbers, CALLS) : undefined;
    },
    workflowId: (): string => id.toString('latin1', 0, Atomics.load(numbers, ID_LENGTH)),
  };
}
