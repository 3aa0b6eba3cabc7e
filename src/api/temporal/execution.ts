import type { WorkflowExecutionDescription, WorkflowExecutionStatusName } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { ConversationMemo } from '#core/projections';

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
    return await decodeExecution(converter, row);
  } catch (error) {
    if (reportMissingKey(error)) return undefined;
    throw error;
  }
}

async function decodeExecution(converter: LoadedDataConverter, row: VisibilityRow): Promise<Execution> {
  const memo = (await decodeMapFromPayloads(converter, row.memo?.fields)) ?? {};
  const closedAt = row.closeTime ? new Date(toMillis(row.closeTime)).toISOString() : null;
  return {
    ...executionRefOf(row),
    status: STATUS_NAMES[row.status ?? 0] ?? 'UNKNOWN',
    closedAt,
    firstRunId: row.firstRunId || (row.execution?.runId ?? ''),
    historyLength: Number(row.historyLength ?? 0),
    memo: normalizeMemo(memo),
  };
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
