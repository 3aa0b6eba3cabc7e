import type { ApiDeps } from '#api/dependencies';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { ConversationExport } from '#contract/responses';
import { toConversation } from '#core/projections';
import { selectTimeline } from '#core/timeline';
import { buildExport, type ExportSource } from '#presentation/export-document';
import { withArchivedEntries } from './archived-entries';
import { queryOrFallback, readConversation, readTimeline } from './read-conversation';

/** Everything there is of a conversation. A finished one is read from its result; another needs a worker. */
export async function exportConversation(context: ApiDeps, run: Execution): Promise<ConversationExport> {
  const { conversation, ...parts } = (await ofResult(context, run)) ?? (await ofRun(context, run));
  const links = context.linksOf(run.id);
  return buildExport({ ...parts, conversation: { ...conversation, links } }, context.now());
}

async function ofResult({ gateway }: ApiDeps, run: Execution): Promise<ExportSource | undefined> {
  const state = isExecutionClosed(run) ? await gateway.result(run) : null;
  if (!state) return undefined;
  const timeline = await withArchivedEntries(gateway.keptEntries, run.id, selectTimeline(state));
  const reading = { agent: state.agent, messages: state.transcript };
  return { conversation: toConversation(state), timeline, reading };
}

async function ofRun({ gateway, linksOf }: ApiDeps, run: Execution): Promise<ExportSource> {
  const timeline = await readTimeline(gateway, run, 0);
  const reading = await queryOrFallback(run, gateway.queryTranscript(run), async () => {
    const { agent, transcript: messages } = await gateway.beginning(run);
    return { agent, messages };
  });
  const conversation = await readConversation(gateway, run, linksOf);
  return { conversation, timeline, reading };
}
