import { type Client, isGrpcServiceError, type QueryDefinition } from '@temporalio/client';
import type { InjectedSinks } from '@temporalio/worker';
import { getTranscriptQuery, isRetryableQueryError } from '#workflows/messages';
import type { ModelCallRef, ModelInput, TranscriptSinks } from '#workflows/runtime/sinks';
import type { TranscriptReader } from './call-model';

const QUERY_DEADLINE_MS = 10_000;
const GRPC_RESOURCE_EXHAUSTED = 8;

/** Ask a run by query. It takes one while a task is pending, so a busy one is asked again, and so is one whose task is yet to begin. */
export async function queryWorkflow<T, Args extends unknown[]>(
  client: Client,
  run: { workflowId: string; runId: string },
  query: QueryDefinition<T, Args>,
  ...args: Args
): Promise<T> {
  const handle = client.workflow.getHandle(run.workflowId, run.runId);
  const deadline = Date.now() + QUERY_DEADLINE_MS;
  for (let wait = 50; ; wait *= 2) {
    try {
      return await client.withDeadline(deadline, () => handle.query<T, Args>(query, ...args));
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      const isBusy = isGrpcServiceError(cause) && cause.code === GRPC_RESOURCE_EXHAUSTED;
      if (!(isBusy || isRetryableQueryError(error)) || Date.now() + wait > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** As many calls as a worker may have about to begin. What another worker took up is pushed out by what follows. */
const MAX_CACHED_TRANSCRIPTS = 64;

/** Reads transcripts: what this worker was handed over a moment ago, else by asking the workflow itself. */
export function createTranscriptReader(client: Client): {
  sinks: InjectedSinks<TranscriptSinks>;
  read: TranscriptReader;
} {
  const cached = new Map<string, ModelInput>();
  const cache = ({ runId }: { runId: string }, call: ModelCallRef, input: ModelInput) => {
    cached.set(transcriptCacheKey(runId, call), input);
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED_TRANSCRIPTS && oldest) cached.delete(oldest);
  };
  return {
    sinks: { transcripts: { cacheInput: { fn: cache, callDuringReplay: false } } },
    async read(run, call) {
      const key = transcriptCacheKey(run.runId, call);
      const hit = cached.get(key);
      cached.delete(key);
      return hit ?? queryWorkflow(client, run, getTranscriptQuery, call.messageCount);
    },
  };
}

function transcriptCacheKey(runId: string, { messageCount, lastEntryId, reductionCount = 0 }: ModelCallRef): string {
  return `${runId} ${messageCount} ${lastEntryId} ${reductionCount}`;
}
