import type { Client } from '@temporalio/client';
import { ChannelError } from '#channels/channel';
import { isState, type Report } from '#core/delegation';
import { type Exported, exportOf } from '#core/export';
import { withEntries } from '#core/old-entries';
import type { State } from '#core/state';
import { conversationOf, type Memo, type TimelineAtHand, timelineOf } from '#core/view';
import { readPieces } from '#storage/entries';
import type { Store } from '#storage/store';
import { putText } from '#storage/texts';
import { getState, getTimeline, getTranscript } from '#workflows/messages';
import { askRun } from './ask-run';

export interface ExportMeans {
  client: Client;
  storage?: Store;
  /** Where conversations are written down when they end. */
  exports?: Store;
}

interface RunId {
  workflowId: string;
  runId: string;
}

/** Write down a conversation that has ended. One that went on instead is written down when it ends next. */
export async function writeExport({ client, storage, exports }: ExportMeans, ended: RunId): Promise<void> {
  if (!exports)
    throw new Error('Not exported: PARLEY_EXPORTS is not set on this worker. Set it as on the API.');
  const run = await closedRun(client, ended);
  if (!run) return;
  const { timeline, ...parts } = await partsOf(client, run);
  const { kept = [], ...atHand } = timeline;
  const names = kept.map(({ name }) => name);
  const missing = { entries: [], isWhole: names.length === 0 };
  const older = storage && names.length > 0 ? await readPieces(storage, run.workflowId, names) : missing;
  const document = exportOf({ ...parts, timeline: withEntries(atHand, older) }, Date.now());
  const { createdAt } = document.conversation;
  // The month it began in: the same however often it ends. By the id that Temporal has it under, whatever it says of itself.
  await putText(exports, `${createdAt.slice(0, 7)}/${run.workflowId}.json`, JSON.stringify(document));
}

const LOOKS = 20;
const PAUSE_MS = 150;

/** The run that the conversation has come to, once it is closed: a later ending is not overwritten by an earlier one. */
async function closedRun(client: Client, { workflowId, runId }: RunId): Promise<RunId | undefined> {
  const newest = await look(client, workflowId);
  if (newest.status.name !== 'RUNNING') return { workflowId, runId: newest.runId };
  for (let looks = 1; ; looks += 1) {
    const { status, memo } = await look(client, workflowId, runId);
    if (status.name === 'CONTINUED_AS_NEW') return undefined;
    if (status.name !== 'RUNNING') return { workflowId, runId };
    if ((memo as unknown as Memo).conversation.completedAt === null) return undefined;
    if (looks === LOOKS) throw new Error('The conversation is about to end: it is exported then.');
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function look(client: Client, workflowId: string, runId?: string) {
  try {
    return await client.workflow.getHandle(workflowId, runId).describe();
  } catch (error) {
    if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
    throw new ChannelError('Not exported: Temporal has the conversation no more.', { isFinal: true });
  }
}

/** From what it left; a sub-agent leaves only a report, and a run that was ended from outside nothing: those are asked. */
async function partsOf(client: Client, run: RunId): Promise<Exported & { timeline: TimelineAtHand }> {
  const left = await client.workflow
    .getHandle<() => Promise<State | Report>>(run.workflowId, run.runId, { followRuns: false })
    .result()
    .catch(() => undefined);
  if (left && isState(left)) {
    const reading = { agent: left.agent, messages: left.transcript };
    return { conversation: conversationOf(left), timeline: timelineOf(left), reading };
  }
  return {
    conversation: await askRun(client, run, getState),
    timeline: await askRun(client, run, getTimeline),
    reading: await askRun(client, run, getTranscript),
  };
}
