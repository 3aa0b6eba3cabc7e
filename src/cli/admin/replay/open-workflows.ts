import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
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
  const count = Math.min(total, filter.sample ?? total);
  onProgress(`Replaying ${count} of ${total} open workflows in ${client.options.namespace}…`);
  let lastProgressAt = Date.now();
  return collectReplayReport(replayHistories(listOpenReplayCases(client, filter), code), ({ replayed, broken }) => {
    if (Date.now() - lastProgressAt < PROGRESS_INTERVAL_MS) return;
    lastProgressAt = Date.now();
    onProgress(`  ${replayed} of ${count}, ${broken.length} would break`);
  });
}

export interface OpenWorkflowFilter {
  /** Only the workflow with this id, open or closed. */
  id?: string;
  /** Number of workflows to sample, spread evenly over all ages. */
  sample?: number;
}

const PAGE_SIZE = 200;
/** Number of histories to fetch ahead while another is replayed. */
const PREFETCHED_HISTORIES = 4;

/** Yields the open conversations and deliveries with their histories, newest first. */
async function* listOpenReplayCases(client: Client, filter: OpenWorkflowFilter): AsyncGenerator<ReplayCase> {
  const prefetched: Promise<ReplayCase | undefined>[] = [];
  for await (const row of selectVisibilityRows(client, filter)) {
    const fetched = fetchReplayCase(client, row);
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
  const { id, sample } = filter;
  const limit = id === undefined ? (sample ?? Number.POSITIVE_INFINITY) : 1;
  const step = sample ? Math.max(1, (await countOpenWorkflows(client, filter)) / sample) : 1;
  let [seenCount, selectedCount] = [0, 0];
  for await (const row of listVisibilityRows(client, filter)) {
    if (selectedCount >= limit) return;
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

/** Returns undefined if the workflow no longer exists. */
async function fetchReplayCase(client: Client, row: VisibilityRow): Promise<ReplayCase | undefined> {
  const { workflowId, runId } = row.execution ?? {};
  const id = workflowId ?? '';
  const agent = row.searchAttributes?.indexedFields?.ParleyAgent?.data;
  try {
    const history: WorkflowHistory = await client.workflow.getHandle(id, runId ?? undefined).fetchHistory();
    const agentName = agent ? JSON.parse(new TextDecoder().decode(agent)) : null;
    return { id, runId: runId ?? '', type: row.type?.name ?? '', agent: agentName, history };
  } catch (error) {
    if (findGrpcError(error).code === GRPC_STATUS.NOT_FOUND) return undefined;
    throw error;
  }
}
