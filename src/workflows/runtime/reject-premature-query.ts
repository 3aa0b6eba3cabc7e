import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';

/**
 * Refuses to go on where no task has begun. A query that had to wait may bring a worker all of the history, also what came
 * after the last task; the SDK (1.23) has the workflow hear that at once, by the clock of the task before. Then it decides what
 * no replay by the right clock decides, and is stuck for good. Refused, the run leaves the cache, and the task finds it as it was.
 * Only the start of a task tells how large the history is, and it grows with each: more events at the same size are no task's.
 */
export function interceptors(): WorkflowInterceptors {
  let previous = { length: 0, size: 0, time: 0 };
  return {
    internals: [
      {
        activate(input, next) {
          const isQuery = input.activation.jobs?.every(({ queryWorkflow }) => queryWorkflow);
          if (!isQuery) {
            const { historyLength: length, historySize: size } = workflowInfo();
            const current = { length, size, time: Date.now() };
            // A server that does not tell the size tells nothing here.
            if (size > 0 && size === previous.size && current.time === previous.time && length > previous.length)
              throw new Error('This query came before the task it belongs to.');
            previous = current;
          }
          next(input);
        },
      },
    ],
  };
}
