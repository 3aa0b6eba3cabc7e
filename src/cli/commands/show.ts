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
import { describeUsage } from '#presentation/labels';

interface Options {
  timeline?: boolean;
}

export const runShow: CommandHandler<Options> = async (context, { args: [id = ''], options }) => {
  const { parley, terminal, isJson } = context;
  if (isJson) terminal.printJson(options.timeline ? await parley.timeline(id) : await parley.get(id));
  else await printConversation(context, id);
  return EXIT.completed;
};

/** Prints first what is available without a worker, because there may be none to return the rest. */
async function printConversation({ parley, terminal }: CommandContext, id: string): Promise<void> {
  const { style } = terminal;
  const width = terminal.width();
  const conversation = await parley.get(id);
  terminal.print(...renderConversationHeader(conversation, width, style), '');
  const resultUrl = (handle: string) => `${conversation.links.self}/results/${handle}`;
  const timeline = await readTimelineSnapshot(parley, id);
  if (!timeline) terminal.print(...renderWithoutTimeline(conversation, width, style), '');
  if (timeline?.truncated) terminal.print(style.dim('Earlier entries were removed to save space.'), '');
  if (timeline) terminal.print(...renderTimeline(timeline.items, width, style, resultUrl), '');
  terminal.print(...renderStatistics(conversation).flatMap((line) => wrapText(style.dim(line), width)));
}

const NO_TIMELINE = 'Earlier messages are unavailable: no worker is running. Start one with `npm run worker`.';

/** Renders what is available without a worker: the plan and the open question. */
function renderWithoutTimeline({ todos, question }: Conversation, width: number, style: TextStyle): string[] {
  const plan = renderPlan(todos, width, style);
  const questionLines = question ? renderQuestion(question, width, style) : [];
  return [plan, questionLines, wrapText(style.warn(NO_TIMELINE), width)]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index > 0 ? ['', ...lines] : lines));
}

function renderStatistics(conversation: Conversation): string[] {
  const { usage, questionsAsked, links, error } = conversation;
  const counts = [
    `${questionsAsked.toLocaleString('en')} question${questionsAsked === 1 ? '' : 's'}`,
    ...describeUsage(usage),
  ];
  return [
    ...(error ? [`${error.message} ${formatResumeHint(conversation)}`] : []),
    counts.join(' · '),
    `Web: ${links.web}`,
    `Temporal: ${links.temporal}`,
  ].map(sanitizeLine);
}
