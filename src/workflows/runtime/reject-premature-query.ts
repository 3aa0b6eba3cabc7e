import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';

/**
 * Rejects queries that would advance the run. A query that had to wait may carry history from after the last workflow
 * task; the SDK (1.23) applies it with the clock of the task before. No replay makes the same decisions then, and the
 * run is stuck permanently. After a rejection the run leaves the cache and the next task replays it correctly. Detection:
 * only a task changes the reported history size, so more events at the same size come from a query.
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
            // A server that reports no size cannot be checked.
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
