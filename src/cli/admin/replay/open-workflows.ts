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

/** Replay what is open in the client's namespace. Nothing there is changed, and no worker needs to run. */
export async function replayOpenWorkflows(
  client: Client,
  code: WorkflowCode,
  choice: OpenWorkflowFilter,
  progress: (sentence: string) => void,
): Promise<ReplayReport> {
  const total = choice.id === undefined ? await countOpenWorkflows(client, choice) : 1;
  const wanted = Math.min(total, choice.limit ?? total, choice.sample ?? total);
  progress(`Replaying ${wanted} of ${total} that are open in ${client.options.namespace} …`);
  let last = Date.now();
  return collectReplayReport(replayHistories(listOpenReplayCases(client, choice), code), ({ replayed, broken }) => {
    if (Date.now() - last < PROGRESS_INTERVAL_MS) return;
    last = Date.now();
    progress(`  ${replayed} of ${wanted}, ${broken.length} would break`);
  });
}

/** What is open, as Visibility shows it. */
export interface OpenWorkflow {
  id: string;
  runId: string;
  type: string;
  agent: string | null;
  /** The encryption key may not be here: then nobody knows. */
  questionSince(): Promise<string | null>;
}

export type OpenReplayCase = OpenWorkflow & ReplayCase;

export interface OpenWorkflowFilter {
  /** Only that one, open or not. */
  id?: string;
  /** The newest so many. */
  limit?: number;
  /** So many, as far apart as they come. */
  sample?: number;
}

const PAGE_SIZE = 200;
/** Histories that are fetched while another is replayed. */
const PREFETCHED_HISTORIES = 4;

/** The open conversations and couriers, newest first, each with its history. */
async function* listOpenReplayCases(client: Client, choice: OpenWorkflowFilter): AsyncGenerator<OpenReplayCase> {
  const ahead: Promise<OpenReplayCase | undefined>[] = [];
  for await (const row of selectVisibilityRows(client, choice)) {
    const fetched = fetchReplayCase(client, toOpenWorkflow(client, row));
    // It is awaited in its turn, and must not be called unhandled until then.
    fetched.catch(() => undefined);
    ahead.push(fetched);
    const next = ahead.length > PREFETCHED_HISTORIES ? await ahead.shift() : undefined;
    if (next) yield next;
  }
  for (const fetched of ahead) {
    const next = await fetched;
    if (next) yield next;
  }
}

export function buildOpenWorkflowQuery({ id }: OpenWorkflowFilter): string {
  const types = `WorkflowType IN ('${CONVERSATION_WORKFLOW_TYPE}', '${DELIVERY_WORKFLOW_TYPE}')`;
  // Ids have no quotes.
  if (id !== undefined) return `${types} AND WorkflowId = '${id.replace(/['"\\]/g, '')}'`;
  return `${types} AND ExecutionStatus = 'Running'`;
}

async function countOpenWorkflows(client: Client, choice: OpenWorkflowFilter): Promise<number> {
  const { namespace } = client.options;
  const request = { namespace, query: buildOpenWorkflowQuery(choice) };
  return Number((await client.workflowService.countWorkflowExecutions(request)).count);
}

type VisibilityRow = temporal.api.workflow.v1.IWorkflowExecutionInfo;

async function* selectVisibilityRows(client: Client, choice: OpenWorkflowFilter): AsyncGenerator<VisibilityRow> {
  const { id, limit = id === undefined ? Number.POSITIVE_INFINITY : 1, sample } = choice;
  const total = sample ? await countOpenWorkflows(client, choice) : 0;
  const step = sample ? Math.max(1, total / sample) : 1;
  let [seen, taken] = [0, 0];
  for await (const row of listVisibilityRows(client, choice)) {
    if (taken >= Math.min(limit, sample ?? limit)) return;
    if (seen++ < Math.floor(taken * step)) continue;
    taken += 1;
    yield row;
  }
}

async function* listVisibilityRows(client: Client, choice: OpenWorkflowFilter): AsyncGenerator<VisibilityRow> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const request = { namespace, query: buildOpenWorkflowQuery(choice), pageSize: PAGE_SIZE, nextPageToken };
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

/** Nothing where it is gone by now. */
async function fetchReplayCase(client: Client, open: OpenWorkflow): Promise<OpenReplayCase | undefined> {
  try {
    const history: WorkflowHistory = await client.workflow.getHandle(open.id, open.runId).fetchHistory();
    return { ...open, history };
  } catch (error) {
    if (findGrpcError(error).code === GRPC_STATUS.NOT_FOUND) return undefined;
    throw error;
  }
}

/** How many, as an option says. */
export function parseCountOption(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${option} takes a number, at least 1.`);
  return Number(given);
}
