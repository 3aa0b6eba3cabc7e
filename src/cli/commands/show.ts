import type { Conversation } from '../../contract/conversation';
import type { Context, Run } from '../context';
import { EXIT } from '../exit';
import { storyLines } from '../text/entry';
import { goingOn } from '../text/going-on';
import { headLines } from '../text/head';
import { safeLine } from '../text/safe';
import { wrap } from '../text/wrap';

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
  const { items, truncated } = await parley.timeline(id);
  if (truncated) terminal.print(style.dim('What came before is no longer kept.'), '');
  terminal.print(...storyLines(items, width, style), '');
  terminal.print(...figures(conversation).flatMap((line) => wrap(style.dim(line), width)));
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
