import type { ConversationExport } from '#contract/responses';
import { toConversation } from '#core/projections';
import { selectTimeline } from '#core/timeline';
import { buildExport, type ExportSource } from '#presentation/export-document';
import type { Context } from './context';
import { withKept } from './kept-entries';
import { readConversation, readTimeline, told } from './reading';
import { isClosed, type Run } from './run';

/** Everything there is of a conversation. A finished one is read from its result; another needs a worker. */
export async function exportConversation(context: Context, run: Run): Promise<ConversationExport> {
  const { conversation, ...parts } = (await ofResult(context, run)) ?? (await ofRun(context, run));
  const links = context.linksOf(run.id);
  return buildExport({ ...parts, conversation: { ...conversation, links } }, context.now());
}

async function ofResult({ gateway }: Context, run: Run): Promise<ExportSource | undefined> {
  const state = isClosed(run) ? await gateway.result(run) : null;
  if (!state) return undefined;
  const timeline = await withKept(gateway.keptEntries, run.id, selectTimeline(state));
  const reading = { agent: state.agent, messages: state.transcript };
  return { conversation: toConversation(state), timeline, reading };
}

async function ofRun({ gateway, linksOf }: Context, run: Run): Promise<ExportSource> {
  const timeline = await readTimeline(gateway, run, 0);
  const reading = await told(run, gateway.queryTranscript(run), async () => {
    const { agent, transcript: messages } = await gateway.beginning(run);
    return { agent, messages };
  });
  const conversation = await readConversation(gateway, run, linksOf);
  return { conversation, timeline, reading };
}
