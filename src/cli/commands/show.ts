import type { Context, Run } from '#cli/context';
import { EXIT } from '#cli/exit';
import { readSoFar } from '#cli/follow/so-far';
import { askedLines } from '#cli/text/asked';
import { storyLines } from '#cli/text/entry';
import { goingOn } from '#cli/text/going-on';
import { headLines } from '#cli/text/head';
import { safeLine } from '#cli/text/safe';
import type { Style } from '#cli/text/style';
import { planLines } from '#cli/text/todos';
import { wrap } from '#cli/text/wrap';
import type { Conversation } from '#contract/conversation';

interface Options {
  timeline?: boolean;
}

export const run: Run<Options> = async (context, { words: [id = ''], options }) => {
  const { parley, terminal, isJson } = context;
  if (isJson) terminal.printJson(options.timeline ? await parley.timeline(id) : await parley.get(id));
  else await show(context, id);
  return EXIT.completed;
};

/** What is known without a worker first: there may be none to tell the rest. */
async function show({ parley, terminal }: Context, id: string): Promise<void> {
  const { style } = terminal;
  const width = terminal.width();
  const conversation = await parley.get(id);
  terminal.print(...headLines(conversation, width, style), '');
  const addressOf = (handle: string) => `${conversation.links.self}/results/${handle}`;
  const timeline = await readSoFar(parley, id);
  if (!timeline) terminal.print(...standLines(conversation, width, style), '');
  if (timeline?.truncated) terminal.print(style.dim('What came before is no longer kept.'), '');
  if (timeline) terminal.print(...storyLines(timeline.items, width, style, addressOf), '');
  terminal.print(...figures(conversation).flatMap((line) => wrap(style.dim(line), width)));
}

const NO_TIMELINE =
  'What was said before cannot be shown: that needs a worker, and none is running (`npm run worker`).';

/** What is to be told with no worker: the plan, and what is asked. */
function standLines({ todos, question }: Conversation, width: number, style: Style): string[] {
  const plan = planLines(todos, width, style);
  const asked = question ? askedLines(question, width, style) : [];
  return [plan, asked, wrap(style.warn(NO_TIMELINE), width)]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at > 0 ? ['', ...lines] : lines));
}

function figures(conversation: Conversation): string[] {
  const { usage, questionsAsked, links, error } = conversation;
  const count = (of: number, what: string) => `${of.toLocaleString('en')} ${what}${of === 1 ? '' : 's'}`;
  const used = [
    count(questionsAsked, 'question'),
    count(usage.modelCalls, 'model call'),
    count(usage.inputTokens + usage.outputTokens, 'token'),
  ];
  return [
    ...(error ? [`${error.message} ${goingOn(conversation)}`] : []),
    used.join(' · '),
    `Web: ${links.web}`,
    `Temporal: ${links.temporal}`,
  ].map(safeLine);
}
