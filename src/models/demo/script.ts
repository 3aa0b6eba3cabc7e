import type Anthropic from '@anthropic-ai/sdk';
import { SUMMARY_PROMPT } from '#models/prompts/summary';
import { type DemoState, readDemoState } from './demo-state';
import { isIncidentReport, replyToIncidentReport } from './incident-scenario';
import { replyToPlanRequest } from './plan-scenario';
import type { ModelScript, ScriptedMessage } from './reply';
import { formatTitle } from './reply-text';
import { isResearchTask, replyToResearchTask } from './research-scenario';

/** The default script. It keeps no state: the transcript shows how far the scenario has got. */
export const demoScript: ModelScript = ({ body }) =>
  isSummaryRequestBody(body) ? replyToSummaryRequest(body) : { ...chooseReply(readDemoState(body)), chunkMs: 20 };

function chooseReply(state: DemoState): ScriptedMessage {
  if (state.lastCalledTools.length === 0) {
    if (isSmallTalk(state.request)) return greet(state);
    if (state.isFollowUp && !isNewRequest(state.request)) return followUp(state);
  }
  // An agent that may ask only one question gets the scenario with one question.
  if (isResearchTask(state.request) || state.maxQuestions === 1) return replyToResearchTask(state);
  return isIncidentReport(state.request) ? replyToIncidentReport(state) : replyToPlanRequest(state);
}

function greet({ isFollowUp }: DemoState): ScriptedMessage {
  if (isFollowUp) return { text: 'You are welcome. Let me know if there is anything else to plan, write or change.' };
  return {
    text: 'Hello! Give me something to do, such as “Plan our team offsite” or “Migrate the database”.',
  };
}

function followUp(state: DemoState): ScriptedMessage {
  return {
    text: `On “${formatTitle(state)}”: my answer above still stands. This is the demo model, and its answers are scripted. Set \`ANTHROPIC_API_KEY\` for a real answer, or give me something new to plan, write or change.`,
  };
}

const PLEASANTRIES = new Set(
  'thanks thank you thx cheers great perfect ok okay hi hello hey good morning afternoon evening bye goodbye nice cool lovely wonderful awesome excellent so very much many a lot that thats is was all for now it there again helpful the your help everyone both'.split(
    ' ',
  ),
);

function isSmallTalk(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replace(/[’']/g, '')
      .match(/\p{L}+/gu) ?? [];
  return words.every((word) => PLEASANTRIES.has(word));
}

function isNewRequest(text: string): boolean {
  if (isResearchTask(text) || isIncidentReport(text)) return true;
  if (/^(what|when|why|how|who|where|which|did|do|does|is|are|was|were)\b/i.test(text)) return false;
  return /\b(plan|organi[sz]e|prepare|book|arrange|schedule|write|draft|migrate|deploy|upgrade|release|build|create|make|set up|design|help|review|find|fix|add|ask|do)\b/i.test(
    text,
  );
}

/** Whether the request asks for a summary instead of the next step of the scenario. */
function isSummaryRequestBody({ messages }: Anthropic.MessageCreateParams): boolean {
  const { content = '' } = messages.at(-1) ?? {};
  const last = typeof content === 'string' ? content : content.at(-1);
  const text = typeof last === 'string' ? last : last?.type === 'text' ? last.text : '';
  return text.startsWith(SUMMARY_PROMPT);
}

/** Number of recent lines to keep; older ones are in an earlier summary, if there is one. */
const SUMMARY_LINES = 40;
const SUMMARY_LINE_LENGTH = 160;

/** Writes a simple summary: a line for each message and tool call. */
function replyToSummaryRequest({ messages }: Anthropic.MessageCreateParams): ScriptedMessage {
  const lines = messages.slice(1).flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return blocks.flatMap((block) => {
      if (block.type === 'tool_use') return [`- Called ${block.name}.`];
      if (block.type !== 'text' || block.text.startsWith('[Parley:')) return [];
      return [`- ${role === 'user' ? 'The person' : 'I'} said: ${toSummaryLine(block.text)}`];
    });
  });
  return {
    text: ['Summary by the demo model:', ...lines.slice(-SUMMARY_LINES)].join('\n'),
  };
}

function toSummaryLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > SUMMARY_LINE_LENGTH ? `${line.slice(0, SUMMARY_LINE_LENGTH - 1)}…` : line;
}
