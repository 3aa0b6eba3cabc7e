import type { Client } from '@temporalio/client';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { Question } from '#contract/question';
import { GRPC, grpcOf } from '#temporal/grpc';
import { COURIER_TYPE, WORKFLOW_TYPE } from '#workflows/messages';
import type { Case, History } from './replaying';

/** What is open, as Visibility shows it. */
export interface Open {
  id: string;
  runId: string;
  type: string;
  agent: string | null;
  /** The encryption key may not be here: then nobody knows. */
  questionSince(): Promise<string | null>;
}

export type OpenCase = Open & Case;

export interface Choice {
  /** Only that one, open or not. */
  id?: string;
  /** The newest so many. */
  limit?: number;
  /** So many, as far apart as they come. */
  sample?: number;
}

const PAGE = 200;
/** Histories that are fetched while another is replayed. */
const AHEAD = 4;

/** The open conversations and couriers, newest first, each with its history. */
export async function* openCases(client: Client, choice: Choice): AsyncGenerator<OpenCase> {
  const ahead: Promise<OpenCase | undefined>[] = [];
  for await (const row of chosen(client, choice)) {
    const fetched = withHistory(client, openOf(client, row));
    // It is awaited in its turn, and must not be called unhandled until then.
    fetched.catch(() => undefined);
    ahead.push(fetched);
    const next = ahead.length > AHEAD ? await ahead.shift() : undefined;
    if (next) yield next;
  }
  for (const fetched of ahead) {
    const next = await fetched;
    if (next) yield next;
  }
}

export function queryOf({ id }: Choice): string {
  const types = `WorkflowType IN ('${WORKFLOW_TYPE}', '${COURIER_TYPE}')`;
  // Ids have no quotes.
  if (id !== undefined) return `${types} AND WorkflowId = '${id.replace(/['"\\]/g, '')}'`;
  return `${types} AND ExecutionStatus = 'Running'`;
}

export async function countOpen(client: Client, choice: Choice): Promise<number> {
  const { namespace } = client.options;
  const request = { namespace, query: queryOf(choice) };
  return Number((await client.workflowService.countWorkflowExecutions(request)).count);
}

type Row = temporal.api.workflow.v1.IWorkflowExecutionInfo;

async function* chosen(client: Client, choice: Choice): AsyncGenerator<Row> {
  const { id, limit = id === undefined ? Number.POSITIVE_INFINITY : 1, sample } = choice;
  const total = sample ? await countOpen(client, choice) : 0;
  const step = sample ? Math.max(1, total / sample) : 1;
  let [seen, taken] = [0, 0];
  for await (const row of rows(client, choice)) {
    if (taken >= Math.min(limit, sample ?? limit)) return;
    if (seen++ < Math.floor(taken * step)) continue;
    taken += 1;
    yield row;
  }
}

async function* rows(client: Client, choice: Choice): AsyncGenerator<Row> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const request = { namespace, query: queryOf(choice), pageSize: PAGE, nextPageToken };
    const page = await client.workflowService.listWorkflowExecutions(request);
    yield* page.executions ?? [];
    nextPageToken = page.nextPageToken;
  } while (nextPageToken?.length);
}

function openOf(client: Client, row: Row): Open {
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
async function withHistory(client: Client, open: Open): Promise<OpenCase | undefined> {
  try {
    const history: History = await client.workflow.getHandle(open.id, open.runId).fetchHistory();
    return { ...open, history };
  } catch (error) {
    if (grpcOf(error).code === GRPC.NOT_FOUND) return undefined;
    throw error;
  }
}
