import { CancellationScope, condition } from '@temporalio/workflow';

/** The work's outcome; it is cancelled as soon as nobody needs it any more. */
export async function whileNeeded<T>(isOver: () => boolean, work: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope({ cancellable: true });
  let done = false;
  void condition(() => done || isOver()).then(() => done || scope.cancel());
  try {
    return await scope.run(work);
  } finally {
    done = true;
  }
}
