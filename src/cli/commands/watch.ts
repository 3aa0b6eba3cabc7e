import type { Entry } from '../../contract/entry';
import type { Context, Run } from '../context';
import { follow } from '../follow/follow';
import { type FollowOptions, followingFrom } from '../follow/options';
import { readSoFar, type SoFar } from '../follow/so-far';
import { storyLines } from '../text/entry';
import { headLines } from '../text/head';

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
