import type { CommandContext, CommandHandler } from '#cli/context';
import { readTimelineSnapshot, type TimelineSnapshot } from '#cli/lookups';
import { renderConversationHeader, renderTimeline } from '#cli/render/conversation';
import { parseWatchFlags, type WatchFlags, watchConversation } from '#cli/watch/watch';
import type { TimelineEntry } from '#contract/timeline';

interface Options extends WatchFlags {
  fromStart?: boolean;
}

export const runWatch: CommandHandler<Options> = async (context, { words: [id = ''], options }) => {
  const how = parseWatchFlags(options, context);
  if (context.isJson || options.events) {
    const after = options.fromStart ? 0 : undefined;
    return watchConversation(context, id, { after, ...how });
  }
  const { terminal, parley } = context;
  const conversation = await parley.get(id);
  terminal.print(...renderConversationHeader(conversation, terminal.width(), terminal.style));
  const soFar = await readTimelineSnapshot(parley, id);
  if (!soFar) return watchConversation(context, id, { isBelow: true, ...how });
  printTimelineSoFar(context, soFar, Boolean(options.fromStart));
  const known = { question: soFar.question, todos: conversation.todos };
  return watchConversation(context, id, { after: soFar.last, isBelow: true, known, ...how });
};

/** What was said last, or everything. The open question is put anew. */
function printTimelineSoFar(
  { terminal }: CommandContext,
  { items, truncated }: TimelineSnapshot,
  isWhole: boolean,
): void {
  const told = items.filter((entry) => !(entry.kind === 'question' && entry.settledId === null));
  const entries = isWhole ? told : lastMessage(told);
  const lines = renderTimeline(entries, terminal.width(), terminal.style);
  if (isWhole && truncated) terminal.print('', terminal.style.dim('What came before is no longer kept.'));
  if (lines.length > 0) terminal.print('', ...lines);
}

function lastMessage(entries: TimelineEntry[]): TimelineEntry[] {
  const last = entries.findLast(({ kind }) => kind === 'message');
  return last ? [last] : [];
}
