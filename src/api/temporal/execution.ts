import type { WorkflowExecutionDescription, WorkflowExecutionStatusName, WorkflowHandle } from '@temporalio/client';
import type { LoadedDataConverter, QueryDefinition } from '@temporalio/common';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import { ConversationId } from '#contract/conversation';
import type { ConversationMemo } from '#core/projections';
import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { CONVERSATION_WORKFLOW_TYPE, isRetryableQueryError } from '#workflows/messages';
import { isExecutionNotFound, WorkerUnavailableError } from './errors';
import type { WaitLimits } from './gateway';
import type { WorkerPresence } from './worker-presence';

/** A conversation's newest run, readable without a worker. */
export interface Execution {
  id: string;
  runId: string;
  status: WorkflowExecutionStatusName;
  closedAt: string | null;
  /** The first run of this continue-as-new chain. Reopening a conversation starts another chain. */
  firstRunId: string;
  historyLength: number;
  /** When the pending workflow task was scheduled. Only known after describing this run. */
  pendingSince?: number;
  /** No worker has started that task, not even in a failed attempt. */
  isTaskUnclaimed?: boolean;
  memo: ConversationMemo;
}

export function isExecutionClosed(run: Execution): boolean {
  return run.status !== 'RUNNING';
}

/** `PENDING_WORKFLOW_TASK_STATE_SCHEDULED`: waiting for a worker. */
const TASK_SCHEDULED = 1;

/** Converts a described workflow. Check it with `isConversation`, since it may not be one. */
export function toExecution(id: string, info: WorkflowExecutionDescription): Execution {
  const { runId, closeTime, status, historyLength, memo = {}, raw } = info;
  const { originalScheduledTime: scheduledAt, state, attempt } = raw.pendingWorkflowTask ?? {};
  return {
    id,
    runId,
    status: status.name,
    closedAt: closeTime?.toISOString() ?? null,
    firstRunId: raw.workflowExecutionInfo?.firstRunId || runId,
    historyLength,
    ...(scheduledAt
      ? { pendingSince: toMillis(scheduledAt), isTaskUnclaimed: state === TASK_SCHEDULED && (attempt ?? 1) <= 1 }
      : {}),
    memo: normalizeMemo(memo),
  };
}

/**
 * Adds defaults for keys set to null: Temporal removes them from the memo, or keeps an empty value if it is encrypted.
 */
function normalizeMemo(memo: Record<string, unknown>): ConversationMemo {
  const present = Object.entries(memo).filter(([, value]) => value !== undefined);
  const defaults = { question: null, settledQuestion: null, messageResults: [], queuedBytes: 0 };
  return { ...defaults, ...Object.fromEntries(present) } as unknown as ConversationMemo;
}

type VisibilityRow = temporal.api.workflow.v1.IWorkflowExecutionInfo;

/** Identifies a run. */
export type ExecutionRef = Pick<Execution, 'id' | 'runId'>;

export function executionRefOf({ execution }: VisibilityRow): ExecutionRef {
  return { id: execution?.workflowId ?? '', runId: execution?.runId ?? '' };
}

/** Returns whether the memo is that of a conversation: another application may use the same workflow type name. */
export function isConversation({ id, memo: { conversation, start } }: Execution): boolean {
  return conversation?.id === id && Array.isArray(start?.access?.assignees);
}

/** Decodes a run listed by Visibility; undefined if its encryption key is not configured. */
export async function readListedExecution(
  converter: LoadedDataConverter,
  row: VisibilityRow,
  reportMissingKey: (error: unknown) => boolean,
): Promise<Execution | undefined> {
  try {
    const memo = (await decodeMapFromPayloads(converter, row.memo?.fields)) ?? {};
    return {
      ...executionRefOf(row),
      status: STATUS_NAMES[row.status ?? 0] ?? 'UNKNOWN',
      closedAt: row.closeTime ? new Date(toMillis(row.closeTime)).toISOString() : null,
      firstRunId: row.firstRunId || (row.execution?.runId ?? ''),
      historyLength: Number(row.historyLength ?? 0),
      memo: normalizeMemo(memo),
    };
  } catch (error) {
    if (reportMissingKey(error)) return undefined;
    throw error;
  }
}

export function toMillis(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return time ? Number(time.seconds) * 1_000 + Math.floor((time.nanos ?? 0) / 1e6) : 0;
}

const STATUS_NAMES: WorkflowExecutionStatusName[] = [
  'UNSPECIFIED',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'CONTINUED_AS_NEW',
  'TIMED_OUT',
];

const MAX_CACHED_QUESTIONS = 500;

export interface RunReaderDeps {
  getHandle(id: string, runId?: string): Pick<WorkflowHandle, 'describe' | 'query'>;
  withDeadline<T>(call: () => Promise<T>, ms?: number): Promise<T>;
  workerPresence: WorkerPresence;
  waitLimits: Readonly<WaitLimits>;
}

/**
 * Reads runs of conversations with few calls to Temporal. `find`: concurrent callers share one description, requested
 * after they asked, so that none sees an older state. `findCachedOpenQuestion`: a question that was just shown can be
 * answered without reading its run again. `query`: concurrent queries of one kind share one call, since a run buffers
 * only one while a task is pending. With no worker present there is no call, as it could only time out.
 */
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
