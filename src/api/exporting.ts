import type { Agent } from '../contract/agent';
import type { Export } from '../contract/export';
import { conversationOf, timelineOf } from '../core/view';
import type { Context } from './context';
import { questionsIn, readConversation, readTimeline } from './reading';
import { isClosed, type Run } from './run';

/** Everything there is of a conversation. A finished one is read from its result; another needs a worker. */
export async function exportConversation(context: Context, run: Run): Promise<Export> {
  const parts = (await ofResult(context, run)) ?? (await ofRun(context, run));
  const { items, ...rest } = parts.timeline;
  const { agent, messages } = parts.reading;
  return {
    format: 'parley.conversation/1',
    exportedAt: new Date(context.now()).toISOString(),
    conversation: { ...parts.conversation, links: context.linksOf(run.id) },
    timeline: items,
    questions: questionsIn(items),
    ...rest,
    agent: shownAgent(agent),
    transcript: messages.map(({ role, content }) => ({
      role,
      content: content.map((block) => ({ ...block })),
    })),
  };
}

/** As it was pinned, but for what its tools and servers are set up with: that is for whoever runs them. */
function shownAgent({ tools = [], mcp = {}, ...agent }: Agent): Export['agent'] {
  const names = tools.map(({ name, requiresConfirmation }) => ({
    name,
    ...(requiresConfirmation && { requiresConfirmation }),
  }));
  return { ...agent, tools: names, mcp: Object.keys(mcp) };
}

async function ofResult({ gateway }: Context, run: Run) {
  const state = isClosed(run) ? await gateway.result(run) : null;
  if (!state) return undefined;
  const reading = { agent: state.agent, messages: state.transcript };
  return { conversation: conversationOf(state), timeline: timelineOf(state), reading };
}

async function ofRun({ gateway, linksOf }: Context, run: Run) {
  const timeline = await readTimeline(gateway, run, 0);
  const reading = await gateway.queryTranscript(run);
  const conversation = await readConversation(gateway, run, linksOf);
  return { conversation, timeline, reading };
}
