import type { WorkflowExecutionDescription, WorkflowExecutionStatusName } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { ConversationMemo } from '#core/projections';

/** A conversation's newest run, as it can be read with no worker up. */
export interface Execution {
  id: string;
  runId: string;
  status: WorkflowExecutionStatusName;
  closedAt: string | null;
  /** The first of the runs it rolled over from: to take a conversation up begins another chain. */
  firstRunId: string;
  historyLength: number;
  /** Something has waited for a worker since then. Only a look at this one run tells. */
  waitsSince?: number;
  /** No worker has begun with that, not even to fail at it. */
  isUntaken?: boolean;
  memo: ConversationMemo;
}

export function isExecutionClosed(run: Execution): boolean {
  return run.status !== 'RUNNING';
}

/** `PENDING_WORKFLOW_TASK_STATE_SCHEDULED`: it waits to be taken up. */
const SCHEDULED = 1;

/** As describe has it, where it is a conversation. */
export function toExecution(id: string, info: WorkflowExecutionDescription): Execution {
  const { runId, closeTime, status, historyLength, memo = {}, raw } = info;
  const { originalScheduledTime: waiting, state, attempt } = raw.pendingWorkflowTask ?? {};
  return {
    id,
    runId,
    status: status.name,
    closedAt: closeTime?.toISOString() ?? null,
    firstRunId: raw.workflowExecutionInfo?.firstRunId || runId,
    historyLength,
    ...(waiting ? { waitsSince: toMillis(waiting), isUntaken: state === SCHEDULED && (attempt ?? 1) <= 1 } : {}),
    memo: memoFrom(memo),
  };
}

/** A key set to null is gone from Temporal's memo; where it is encrypted Temporal cannot tell, and keeps a nothing. */
function memoFrom(memo: Record<string, unknown>): ConversationMemo {
  const there = Object.entries(memo).filter(([, part]) => part !== undefined);
  const none = { question: null, settled: null, verdicts: [], queuedBytes: 0 };
  return { ...none, ...Object.fromEntries(there) } as unknown as ConversationMemo;
}

type Row = temporal.api.workflow.v1.IWorkflowExecutionInfo;

/** Enough to know which it is. */
export type ExecutionRef = Pick<Execution, 'id' | 'runId'>;

export function executionRefOf({ execution }: Row): ExecutionRef {
  return { id: execution?.workflowId ?? '', runId: execution?.runId ?? '' };
}

/** Whose memo is that of a conversation: others may call a workflow of theirs by the same name. */
export function isConversation({ id, memo: { conversation, start } }: Execution): boolean {
  return conversation?.id === id && Array.isArray(start?.access?.assignees);
}

/** As Visibility has it; nothing where it was encrypted with a key that is not here. */
export async function readListedExecution(
  converter: LoadedDataConverter,
  row: Row,
  sayMissing: (error: unknown) => boolean,
): Promise<Execution | undefined> {
  try {
    return await runIn(converter, row);
  } catch (error) {
    if (sayMissing(error)) return undefined;
    throw error;
  }
}

async function runIn(converter: LoadedDataConverter, row: Row): Promise<Execution> {
  const memo = (await decodeMapFromPayloads(converter, row.memo?.fields)) ?? {};
  const closed = row.closeTime ? new Date(toMillis(row.closeTime)).toISOString() : null;
  return {
    ...executionRefOf(row),
    status: STATUS[row.status ?? 0] ?? 'UNKNOWN',
    closedAt: closed,
    firstRunId: row.firstRunId || (row.execution?.runId ?? ''),
    historyLength: Number(row.historyLength ?? 0),
    memo: memoFrom(memo),
  };
}

export function toMillis(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return time ? Number(time.seconds) * 1_000 + Math.floor((time.nanos ?? 0) / 1e6) : 0;
}

const STATUS: WorkflowExecutionStatusName[] = [
  'UNSPECIFIED',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'CONTINUED_AS_NEW',
  'TIMED_OUT',
];
