import type { Client } from '@temporalio/client';
import { readArchiveChunks } from '#archive/conversation-archive';
import { ChannelError } from '#channels/channel';
import type { ConversationState } from '#core/conversation/state';
import { type ConversationMemo, toConversation } from '#core/projections';
import { isConversationState, type SubagentReport } from '#core/subagents';
import { mergeArchivedEntries, type RecentTimeline, selectTimeline } from '#core/timeline';
import { type ObjectStore, putTextObject } from '#infra/storage/object-store';
import { buildExport, type ExportSource } from '#presentation/export-document';
import type { EndedRun } from '#workflows/delivery';
import { getStateQuery, getTimelineQuery, getTranscriptQuery } from '#workflows/messages';
import { queryWorkflow } from './query-workflow';

export interface ExportDeps {
  client: Client;
  storage?: ObjectStore;
  /** Storage for exports of conversations that ended. */
  exports?: ObjectStore;
}

/** Exports a conversation that has ended. One that was resumed meanwhile is exported when it ends again. */
export async function exportEndedConversation(
  { client, storage, exports }: ExportDeps,
  ended: EndedRun,
): Promise<void> {
  if (!exports)
    throw new Error('Not exported: PARLEY_EXPORTS is not set on this worker. Set it to the same value as on the API.');
  const run = await findClosedRun(client, ended);
  if (!run) return;
  const { timeline, ...parts } = await readExportSource(client, run);
  const { archivedChunks = [], ...recent } = timeline;
  const names = archivedChunks.map(({ name }) => name);
  const missing = { entries: [], isComplete: names.length === 0 };
  const older = storage && names.length > 0 ? await readArchiveChunks(storage, run.workflowId, names) : missing;
  const document = buildExport({ ...parts, timeline: mergeArchivedEntries(recent, older) }, Date.now());
  const { createdAt } = document.conversation;
  // The month it began in: the same however often it ends. By the id that Temporal has it under, whatever it says of itself.
  await putTextObject(exports, `${createdAt.slice(0, 7)}/${run.workflowId}.json`, JSON.stringify(document));
}

const MAX_DESCRIBE_ATTEMPTS = 20;
const DESCRIBE_INTERVAL_MS = 150;

/** The newest run of the conversation, if closed, so that an earlier ending does not overwrite a later one. */
async function findClosedRun(client: Client, { workflowId, runId }: EndedRun): Promise<EndedRun | undefined> {
  const newest = await describeRun(client, workflowId);
  if (newest.status.name !== 'RUNNING') return { workflowId, runId: newest.runId };
  for (let attempts = 1; ; attempts += 1) {
    const { status, memo } = await describeRun(client, workflowId, runId);
    if (status.name === 'CONTINUED_AS_NEW') return undefined;
    if (status.name !== 'RUNNING') return { workflowId, runId };
    if ((memo as unknown as ConversationMemo).conversation.completedAt === null) return undefined;
    if (attempts === MAX_DESCRIBE_ATTEMPTS) throw new Error('The conversation is about to end, and is exported then.');
    await new Promise((resolve) => setTimeout(resolve, DESCRIBE_INTERVAL_MS));
  }
}

async function describeRun(client: Client, workflowId: string, runId?: string) {
  try {
    return await client.workflow.getHandle(workflowId, runId).describe();
  } catch (error) {
    if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
    throw new ChannelError('Not exported: the conversation no longer exists in Temporal.', { isPermanent: true });
  }
}

/** Reads its final state. A sub-agent leaves only a report and a terminated run nothing, so those are queried. */
async function readExportSource(client: Client, run: EndedRun): Promise<ExportSource & { timeline: RecentTimeline }> {
  const result = await client.workflow
    .getHandle<() => Promise<ConversationState | SubagentReport>>(run.workflowId, run.runId, {
      followRuns: false,
    })
    .result()
    .catch(() => undefined);
  if (result && isConversationState(result)) {
    const reading = { agent: result.agent, messages: result.transcript };
    return { conversation: toConversation(result), timeline: selectTimeline(result), transcript: reading };
  }
  return {
    conversation: await queryWorkflow(client, run, getStateQuery),
    timeline: await queryWorkflow(client, run, getTimelineQuery),
    transcript: await queryWorkflow(client, run, getTranscriptQuery),
  };
}
