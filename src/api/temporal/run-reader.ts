/**
 * Reads runs of conversations with few calls to Temporal. `find`: concurrent callers share one description, requested
 * after they asked, so that none sees an older state. `findCachedOpenQuestion`: a question that was just shown can be
 * answered without reading its run again. `query`: concurrent queries of one kind share one call, since a run buffers
 * only one while a task is pending. With no worker present there is no call, as it could only time out.
 */
import type { WorkflowHandle } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import { ConversationId } from '#contract/conversation';
import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { CONVERSATION_WORKFLOW_TYPE, isRetryableQueryError } from '#workflows/messages';
import { isExecutionNotFound, WorkerUnavailableError } from './errors';
import { type Execution, isConversation, toExecution } from './execution';
import type { WaitLimits } from './gateway';
import type { WorkerPresence } from './worker-presence';

const MAX_CACHED_QUESTIONS = 500;

export interface RunReaderDeps {
  getHandle(id: string, runId?: string): Pick<WorkflowHandle, 'describe' | 'query'>;
  withDeadline<T>(call: () => Promise<T>, ms?: number): Promise<T>;
  workerPresence: WorkerPresence;
  waitLimits: Readonly<WaitLimits>;
}

export function createRunReader({ getHandle, withDeadline, workerPresence, waitLimits }: RunReaderDeps) {
  const describe = (id: string, runId?: string) => withDeadline(() => getHandle(id, runId).describe());
  const describeNewest = coalesceByKey((id) => describe(id));
  /** Running runs with an open question, most recently read last. */
  const openQuestionRuns = new Map<string, Execution>();
  const queriesInFlight = new Map<string, Promise<unknown>>();

  const remember = (run: Execution): Execution => {
    openQuestionRuns.delete(run.id);
    if (run.memo.question && run.status === 'RUNNING') openQuestionRuns.set(run.id, run);
    const [oldest] = openQuestionRuns.keys();
    if (openQuestionRuns.size > MAX_CACHED_QUESTIONS && oldest !== undefined) openQuestionRuns.delete(oldest);
    return run;
  };

  /**
   * Returns whether a worker has claimed the pending task, so that it may be stuck while other workers are fine.
   * Returns true if Temporal cannot say.
   */
  const isTaskClaimed = async ({ id, runId }: Execution): Promise<boolean> => {
    const info = await describe(id, runId).catch(() => undefined);
    return info ? toExecution(id, info).isTaskUnclaimed === false : true;
  };

  const sendQuery = async <T>(run: Execution, send: () => Promise<T>): Promise<T> => {
    const wait = await workerPresence.expectWorker();
    if (!wait)
      throw new WorkerUnavailableError(
        'No worker is running to read this conversation. Start one (`npm run worker`) and retry.',
      );
    const retryOnce = (error: unknown) => (isRetryableQueryError(error) ? send() : Promise.reject(error));
    try {
      const result = await withDeadline(() => send().catch(retryOnce), waitLimits.queryMs);
      wait.seen();
      return result;
    } catch (error) {
      if (isExecutionNotFound(error)) throw error;
      if (findGrpcError(error).code === GRPC_STATUS.DEADLINE_EXCEEDED && !(await isTaskClaimed(run))) wait.missed();
      const detail =
        'No worker could read this conversation in time. Check that a worker is running and look for errors in its log, then retry.';
      throw new WorkerUnavailableError(detail, { cause: error });
    }
  };

  return {
    remember,

    /** Returns the newest run of a conversation, or the given run; undefined if there is no such conversation. */
    async find(id: string, runId?: string): Promise<Execution | undefined> {
      if (!ConversationId.safeParse(id).success) return undefined;
      try {
        const info = await (runId ? describe(id, runId) : describeNewest(id));
        const run = toExecution(id, info);
        return info.type === CONVERSATION_WORKFLOW_TYPE && isConversation(run) ? remember(run) : undefined;
      } catch (error) {
        if (isExecutionNotFound(error)) return undefined;
        throw error;
      }
    },

    /** Returns the last run read with this open question. The question may have been resolved since. */
    findCachedOpenQuestion(conversationId: string, questionId: string): Execution | undefined {
      const run = openQuestionRuns.get(conversationId);
      return run?.memo.question?.id === questionId ? run : undefined;
    },

    async query<T, Args extends unknown[]>(run: Execution, query: QueryDefinition<T, Args>, ...args: Args): Promise<T> {
      const key = JSON.stringify([query.name, args, run.runId]);
      const send = () => getHandle(run.id, run.runId).query(query, ...args);
      const pending = queriesInFlight.get(key) ?? sendQuery(run, send).finally(() => queriesInFlight.delete(key));
      queriesInFlight.set(key, pending);
      return (await pending) as T;
    },
  };
}

/** Returns whether a worker tried to replay the run and failed, also on the retry. */
export function isNotReplayable(error: unknown): boolean {
  return error instanceof WorkerUnavailableError && isRetryableQueryError(error.cause);
}

/**
 * Runs at most one load per key at a time. Callers during a load share the next one, since the current one may have
 * been answered before the change they want to see.
 */
export function coalesceByKey<T>(load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const loads = new Map<string, { current: Promise<T>; next?: Promise<T> }>();
  const start = (key: string): Promise<T> => {
    const entry: { current: Promise<T>; next?: Promise<T> } = {
      current: load(key).finally(() => {
        if (!entry.next) loads.delete(key);
      }),
    };
    loads.set(key, entry);
    return entry.current;
  };
  return (key) => {
    const entry = loads.get(key);
    if (!entry) return start(key);
    const startNext = () => start(key);
    entry.next ??= entry.current.then(startNext, startNext);
    return entry.next;
  };
}
