import type { Agent } from '#contract/agent';
import type { Conversation } from '#contract/conversation';
import type { ConversationExport } from '#contract/responses';
import type { ConversationTimeline } from '#contract/timeline';
import { toIsoTime } from '#core/conversation/state';
import { questionsInTimeline } from '#core/timeline';
import type { TranscriptMessage } from '#core/transcript/transcript';

/** The parts of an export. */
export interface ExportSource {
  conversation: Conversation;
  timeline: ConversationTimeline;
  transcript: { agent: Agent; messages: TranscriptMessage[] };
}

/** Builds one document with the whole conversation. */
export function buildExport({ conversation, timeline, transcript }: ExportSource, now: number): ConversationExport {
  const { items, ...rest } = timeline;
  return {
    format: 'parley.conversation/1',
    exportedAt: toIsoTime(now),
    conversation,
    timeline: items,
    questions: questionsInTimeline(items),
    ...rest,
    agent: exportedAgent(transcript.agent),
    transcript: transcript.messages.map(({ role, content }) => ({
      role,
      content: content.map((block) => ({ ...block })),
    })),
  };
}

/** The agent as pinned, without the settings of its tools and servers, which are for operators only. */
function exportedAgent({ tools, mcp, grantSignatures: _, ...agent }: Agent): ConversationExport['agent'] {
  const names = tools.map(({ name, requiresConfirmation }) => ({
    name,
    ...(requiresConfirmation && { requiresConfirmation }),
  }));
  return { ...agent, tools: names, mcp: Object.keys(mcp) };
}
