import type { Context, Run } from '#cli/context';
import { follow } from '#cli/follow/follow';
import { type FollowOptions, followingFrom } from '#cli/follow/options';
import { readSoFar, type SoFar } from '#cli/follow/so-far';
import { storyLines } from '#cli/text/entry';
import { headLines } from '#cli/text/head';
import type { Entry } from '#contract/entry';

interface Options extends FollowOptions {
  fromStart?: boolean;
}

export const run: Run<Options> = async (context, { words: [id = ''], options }) => {
  const how = followingFrom(options, context);
  if (context.isJson || options.events) {
    const after = options.fromStart ? 0 : undefined;
    return follow(context, id, { after, ...how });
  }
  const { terminal, parley } = context;
  const conversation = await parley.get(id);
  terminal.print(...headLines(conversation, terminal.width(), terminal.style));
  const soFar = await readSoFar(parley, id);
  if (!soFar) return follow(context, id, { isBelow: true, ...how });
  tell(context, soFar, Boolean(options.fromStart));
  const known = { question: soFar.question, todos: conversation.todos };
  return follow(context, id, { after: soFar.last, isBelow: true, known, ...how });
};

/** What was said last, or everything. The open question is put anew. */
function tell({ terminal }: Context, { items, truncated }: SoFar, isWhole: boolean): void {
  const told = items.filter((entry) => !(entry.kind === 'question' && entry.settledId === null));
  const entries = isWhole ? told : lastSaid(told);
  const lines = storyLines(entries, terminal.width(), terminal.style);
  if (isWhole && truncated) terminal.print('', terminal.style.dim('What came before is no longer kept.'));
  if (lines.length > 0) terminal.print('', ...lines);
}

function lastSaid(entries: Entry[]): Entry[] {
  const last = entries.findLast(({ kind }) => kind === 'message');
  return last ? [last] : [];
}
