import type { Client } from '@temporalio/client';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { Question } from '#contract/question';
import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { CONVERSATION_WORKFLOW_TYPE, DELIVERY_WORKFLOW_TYPE } from '#workflows/messages';
import {
  collectReplayReport,
  type ReplayCase,
  type ReplayReport,
  replayHistories,
  type WorkflowCode,
  type WorkflowHistory,
} from './replay-histories';

const PROGRESS_INTERVAL_MS = 2_000;

/** Replays the open workflows of the client's namespace. Read-only; needs no worker. */
export async function replayOpenWorkflows(
  client: Client,
  code: WorkflowCode,
  filter: OpenWorkflowFilter,
  onProgress: (sentence: string) => void,
): Promise<ReplayReport> {
  const total = filter.id === undefined ? await countOpenWorkflows(client, filter) : 1;
  const count = Math.min(total, filter.limit ?? total, filter.sample ?? total);
  onProgress(`Replaying ${count} of ${total} open workflows in ${client.options.namespace}…`);
  let lastProgressAt = Date.now();
  return collectReplayReport(replayHistories(listOpenReplayCases(client, filter), code), ({ replayed, broken }) => {
    if (Date.now() - lastProgressAt < PROGRESS_INTERVAL_MS) return;
    lastProgressAt = Date.now();
    onProgress(`  ${replayed} of ${count}, ${broken.length} would break`);
  });
}

/** An open workflow, as Visibility lists it. */
export interface OpenWorkflow {
  id: string;
  runId: string;
  type: string;
  agent: string | null;
  /** Null if there is no question, or if its encryption key is missing here. */
  questionSince(): Promise<string | null>;
}

export type OpenReplayCase = OpenWorkflow & ReplayCase;

export interface OpenWorkflowFilter {
  /** Only the workflow with this id, open or closed. */
  id?: string;
  /** Maximum number of workflows, newest first. */
  limit?: number;
  /** Number of workflows to sample, spread evenly over all ages. */
  sample?: number;
}

const PAGE_SIZE = 200;
/** Number of histories to fetch ahead while another is replayed. */
const PREFETCHED_HISTORIES = 4;

/** Yields the open conversations and deliveries with their histories, newest first. */
async function* listOpenReplayCases(client: Client, filter: OpenWorkflowFilter): AsyncGenerator<OpenReplayCase> {
  const prefetched: Promise<OpenReplayCase | undefined>[] = [];
  for await (const row of selectVisibilityRows(client, filter)) {
    const fetched = fetchReplayCase(client, toOpenWorkflow(client, row));
    // Awaited later, in order. Until then, a rejection must not count as unhandled.
    fetched.catch(() => undefined);
    prefetched.push(fetched);
    const next = prefetched.length > PREFETCHED_HISTORIES ? await prefetched.shift() : undefined;
    if (next) yield next;
  }
  for (const fetched of prefetched) {
    const next = await fetched;
    if (next) yield next;
  }
}

export function buildOpenWorkflowQuery({ id }: OpenWorkflowFilter): string {
  const types = `WorkflowType IN ('${CONVERSATION_WORKFLOW_TYPE}', '${DELIVERY_WORKFLOW_TYPE}')`;
  // Ids contain no quotes.
  if (id !== undefined) return `${types} AND WorkflowId = '${id.replace(/['"\\]/g, '')}'`;
  return `${types} AND ExecutionStatus = 'Running'`;
}

async function countOpenWorkflows(client: Client, filter: OpenWorkflowFilter): Promise<number> {
  const { namespace } = client.options;
  const request = { namespace, query: buildOpenWorkflowQuery(filter) };
  return Number((await client.workflowService.countWorkflowExecutions(request)).count);
}

type VisibilityRow = temporal.api.workflow.v1.IWorkflowExecutionInfo;

async function* selectVisibilityRows(client: Client, filter: OpenWorkflowFilter): AsyncGenerator<VisibilityRow> {
  const { id, limit = id === undefined ? Number.POSITIVE_INFINITY : 1, sample } = filter;
  const total = sample ? await countOpenWorkflows(client, filter) : 0;
  const step = sample ? Math.max(1, total / sample) : 1;
  let [seenCount, selectedCount] = [0, 0];
  for await (const row of listVisibilityRows(client, filter)) {
    if (selectedCount >= Math.min(limit, sample ?? limit)) return;
    if (seenCount++ < Math.floor(selectedCount * step)) continue;
    selectedCount += 1;
    yield row;
  }
}

async function* listVisibilityRows(client: Client, filter: OpenWorkflowFilter): AsyncGenerator<VisibilityRow> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const request = { namespace, query: buildOpenWorkflowQuery(filter), pageSize: PAGE_SIZE, nextPageToken };
    const page = await client.workflowService.listWorkflowExecutions(request);
    yield* page.executions ?? [];
    nextPageToken = page.nextPageToken;
  } while (nextPageToken?.length);
}

function toOpenWorkflow(client: Client, row: VisibilityRow): OpenWorkflow {
  const agent = row.searchAttributes?.indexedFields?.ParleyAgent?.data;
  return {
    id: row.execution?.workflowId ?? '',
    runId: row.execution?.runId ?? '',
    type: row.type?.name ?? '',
    agent: agent ? JSON.parse(new TextDecoder().decode(agent)) : null,
    async questionSince() {
      const { question } = row.memo?.fields ?? {};
      if (!question) return null;
      const { loadedDataConverter } = client.options;
      try {
        const memo = await decodeMapFromPayloads(loadedDataConverter, { question });
        return (memo?.question as Question | null)?.askedAt ?? null;
      } catch {
        return null;
      }
    },
  };
}

/** Returns undefined if the workflow no longer exists. */
async function fetchReplayCase(client: Client, workflow: OpenWorkflow): Promise<OpenReplayCase | undefined> {
  try {
    const history: WorkflowHistory = await client.workflow.getHandle(workflow.id, workflow.runId).fetchHistory();
    return { ...workflow, history };
  } catch (error) {
    if (findGrpcError(error).code === GRPC_STATUS.NOT_FOUND) return undefined;
    throw error;
  }
}
