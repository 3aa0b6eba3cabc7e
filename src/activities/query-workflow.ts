import { type Client, isGrpcServiceError, type QueryDefinition } from '@temporalio/client';
import type { InjectedSinks } from '@temporalio/worker';
import { getTranscriptQuery, isRetryableQueryError } from '#workflows/messages';
import type { ModelCallRef, ModelInput, TranscriptSinks } from '#workflows/runtime/sinks';
import type { TranscriptReader } from './call-model';

const QUERY_DEADLINE_MS = 10_000;
const GRPC_RESOURCE_EXHAUSTED = 8;

/** Queries a run, with retries: a run takes one query while a task is pending and rejects others. */
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

/** As many calls as a worker may start at once. Entries that another worker picked up are evicted. */
const MAX_CACHED_TRANSCRIPTS = 64;

/** Reads transcripts from this worker's cache, or by a query to the workflow. */
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
