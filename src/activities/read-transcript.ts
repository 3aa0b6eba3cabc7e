import { type Client, isGrpcServiceError } from '@temporalio/client';
import { getTranscript } from '../workflows/messages';
import type { TranscriptReader } from './think';

const DEADLINE_MS = 10_000;
const RESOURCE_EXHAUSTED = 8;

/** Asks the workflow itself. A run takes one query while a task is pending, so a busy one is asked again. */
export function readTranscript(client: Client): TranscriptReader {
  return async ({ workflowId, runId }, messages) => {
    const handle = client.workflow.getHandle(workflowId, runId);
    const deadline = Date.now() + DEADLINE_MS;
    for (let wait = 50; ; wait *= 2) {
      try {
        return await client.withDeadline(deadline, () => handle.query(getTranscript, messages));
      } catch (error) {
        const cause = (error as Error).cause ?? error;
        const isBusy = isGrpcServiceError(cause) && cause.code === RESOURCE_EXHAUSTED;
        if (!isBusy || Date.now() + wait > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  };
}
