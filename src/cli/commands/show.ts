import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { readTimelineSnapshot } from '#cli/lookups';
import type { TextStyle } from '#cli/render/colors';
import {
  formatResumeHint,
  renderConversationHeader,
  renderPlan,
  renderQuestion,
  renderTimeline,
} from '#cli/render/conversation';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import type { Conversation } from '#contract/conversation';

interface Options {
  timeline?: boolean;
}

export const runShow: CommandHandler<Options> = async (context, { words: [id = ''], options }) => {
  const { parley, terminal, isJson } = context;
  if (isJson) terminal.printJson(options.timeline ? await parley.timeline(id) : await parley.get(id));
  else await printConversation(context, id);
  return EXIT.completed;
};

/** What is known without a worker first: there may be none to tell the rest. */
async function printConversation({ parley, terminal }: CommandContext, id: string): Promise<void> {
  const { style } = terminal;
  const width = terminal.width();
  const conversation = await parley.get(id);
  terminal.print(...renderConversationHeader(conversation, width, style), '');
  const addressOf = (handle: string) => `${conversation.links.self}/results/${handle}`;
  const timeline = await readTimelineSnapshot(parley, id);
  if (!timeline) terminal.print(...renderWithoutTimeline(conversation, width, style), '');
  if (timeline?.truncated) terminal.print(style.dim('What came before is no longer kept.'), '');
  if (timeline) terminal.print(...renderTimeline(timeline.items, width, style, addressOf), '');
  terminal.print(...renderStatistics(conversation).flatMap((line) => wrapText(style.dim(line), width)));
}

const NO_TIMELINE =
  'What was said before cannot be shown: that needs a worker, and none is running (`npm run worker`).';

/** What is to be told with no worker: the plan, and what is asked. */
function renderWithoutTimeline({ todos, question }: Conversation, width: number, style: TextStyle): string[] {
  const plan = renderPlan(todos, width, style);
  const asked = question ? renderQuestion(question, width, style) : [];
  return [plan, asked, wrapText(style.warn(NO_TIMELINE), width)]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at > 0 ? ['', ...lines] : lines));
}

function renderStatistics(conversation: Conversation): string[] {
  const { usage, questionsAsked, links, error } = conversation;
  const count = (of: number, what: string) => `${of.toLocaleString('en')} ${what}${of === 1 ? '' : 's'}`;
  const used = [
    count(questionsAsked, 'question'),
    count(usage.modelCalls, 'model call'),
    count(usage.inputTokens + usage.outputTokens, 'token'),
  ];
  return [
    ...(error ? [`${error.message} ${formatResumeHint(conversation)}`] : []),
    used.join(' · '),
    `Web: ${links.web}`,
    `Temporal: ${links.temporal}`,
  ].map(sanitizeLine);
}
