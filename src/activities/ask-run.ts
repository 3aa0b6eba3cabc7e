import { type Client, isGrpcServiceError, type QueryDefinition } from '@temporalio/client';
import { mayAskAgain } from '#workflows/messages';

const DEADLINE_MS = 10_000;
const RESOURCE_EXHAUSTED = 8;

/** Ask a run by query. It takes one while a task is pending, so a busy one is asked again, and so is one whose task is yet to begin. */
export async function askRun<T, Args extends unknown[]>(
  client: Client,
  run: { workflowId: string; runId: string },
  query: QueryDefinition<T, Args>,
  ...args: Args
): Promise<T> {
  const handle = client.workflow.getHandle(run.workflowId, run.runId);
  const deadline = Date.now() + DEADLINE_MS;
  for (let wait = 50; ; wait *= 2) {
    try {
      return await client.withDeadline(deadline, () => handle.query<T, Args>(query, ...args));
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      const isBusy = isGrpcServiceError(cause) && cause.code === RESOURCE_EXHAUSTED;
      if (!(isBusy || mayAskAgain(error)) || Date.now() + wait > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
