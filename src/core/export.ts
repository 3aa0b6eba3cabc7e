import type { Agent } from '#contract/agent';
import type { Conversation } from '#contract/conversation';
import type { Timeline } from '#contract/entry';
import type { Export } from '#contract/export';
import { iso, type Message } from './state';
import { questionsIn } from './view';

/** What an export is made of. */
export interface Exported {
  conversation: Conversation;
  timeline: Timeline;
  reading: { agent: Agent; messages: Message[] };
}

/** The whole conversation as one document. */
export function exportOf({ conversation, timeline, reading }: Exported, now: number): Export {
  const { items, ...rest } = timeline;
  return {
    format: 'parley.conversation/1',
    exportedAt: iso(now),
    conversation,
    timeline: items,
    questions: questionsIn(items),
    ...rest,
    agent: shownAgent(reading.agent),
    transcript: reading.messages.map(({ role, content }) => ({
      role,
      content: content.map((block) => ({ ...block })),
    })),
  };
}

/** As it was pinned, but for what its tools and servers are set up with: that is for whoever runs them. */
function shownAgent({ tools = [], mcp = {}, seals: _, ...agent }: Agent): Export['agent'] {
  const names = tools.map(({ name, requiresConfirmation }) => ({
    name,
    ...(requiresConfirmation && { requiresConfirmation }),
  }));
  return { ...agent, tools: names, mcp: Object.keys(mcp) };
}
