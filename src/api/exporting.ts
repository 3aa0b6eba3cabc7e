import type { Export } from '#contract/export';
import { type Exported, exportOf } from '#core/export';
import { conversationOf, timelineOf } from '#core/view';
import type { Context } from './context';
import { withKept } from './kept-entries';
import { readConversation, readTimeline, told } from './reading';
import { isClosed, type Run } from './run';

/** Everything there is of a conversation. A finished one is read from its result; another needs a worker. */
export async function exportConversation(context: Context, run: Run): Promise<Export> {
  const { conversation, ...parts } = (await ofResult(context, run)) ?? (await ofRun(context, run));
  const links = context.linksOf(run.id);
  return exportOf({ ...parts, conversation: { ...conversation, links } }, context.now());
}

async function ofResult({ gateway }: Context, run: Run): Promise<Exported | undefined> {
  const state = isClosed(run) ? await gateway.result(run) : null;
  if (!state) return undefined;
  const timeline = await withKept(gateway.keptEntries, run.id, timelineOf(state));
  const reading = { agent: state.agent, messages: state.transcript };
  return { conversation: conversationOf(state), timeline, reading };
}

async function ofRun({ gateway, linksOf }: Context, run: Run): Promise<Exported> {
  const timeline = await readTimeline(gateway, run, 0);
  const reading = await told(run, gateway.queryTranscript(run), async () => {
    const { agent, transcript: messages } = await gateway.beginning(run);
    return { agent, messages };
  });
  const conversation = await readConversation(gateway, run, linksOf);
  return { conversation, timeline, reading };
}
