import type { Client } from '@temporalio/client';

/** Does Temporal say that there is no such conversation any more? Anything else it says, or silence, is no. */
export async function isGone(client: Client, id: string): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + 3_000, () => client.workflow.getHandle(id).describe());
    return false;
  } catch (error) {
    return (error as Error).name === 'WorkflowNotFoundError';
  }
}
