import type { ApiDeps } from '#api/dependencies';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { ConversationExport } from '#contract/responses';
import { toConversation } from '#core/projections';
import { selectTimeline } from '#core/timeline';
import { buildExport, type ExportSource } from '#presentation/export-document';
import { withArchivedEntries } from './archived-entries';
import { queryOrFallback, readConversation, readTimeline } from './read-conversation';

/** Exports a complete conversation. A finished one is read from its result; any other needs a worker. */
export async function exportConversation(deps: ApiDeps, run: Execution): Promise<ConversationExport> {
  const { conversation, ...parts } = (await fromClosedState(deps, run)) ?? (await fromQueries(deps, run));
  const links = deps.buildLinks(run.id);
  return buildExport({ ...parts, conversation: { ...conversation, links } }, deps.now());
}

async function fromClosedState({ gateway }: ApiDeps, run: Execution): Promise<ExportSource | undefined> {
  const state = isExecutionClosed(run) ? await gateway.closedState(run) : null;
  if (!state) return undefined;
  const timeline = await withArchivedEntries(gateway.readArchive, run.id, selectTimeline(state));
  const modelInput = { agent: state.agent, messages: state.transcript };
  return { conversation: toConversation(state), timeline, transcript: modelInput };
}

async function fromQueries({ gateway, buildLinks }: ApiDeps, run: Execution): Promise<ExportSource> {
  const timeline = await readTimeline(gateway, run, 0);
  const modelInput = await queryOrFallback(run, gateway.queryTranscript(run), async () => {
    const { agent, transcript: messages } = await gateway.initialState(run);
    return { agent, messages };
  });
  const conversation = await readConversation(gateway, run, buildLinks);
  return { conversation, timeline, transcript: modelInput };
}
