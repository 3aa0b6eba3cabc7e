import type { CommandContext, CommandHandler } from '#cli/context';
import { readTimelineSnapshot, type TimelineSnapshot } from '#cli/lookups';
import { renderConversationHeader, renderTimeline } from '#cli/render/conversation';
import { type WatchFlags, watchConversation } from '#cli/watch/watch';
import type { TimelineEntry } from '#contract/timeline';

interface Options extends WatchFlags {
  fromStart?: boolean;
}

export const runWatch: CommandHandler<Options> = async (context, { args: [id = ''], options }) => {
  if (context.isJson || options.events)
    return watchConversation(context, id, options, { after: options.fromStart ? 0 : undefined });
  const { terminal, parley } = context;
  const conversation = await parley.get(id);
  terminal.print(...renderConversationHeader(conversation, terminal.width(), terminal.style));
  const snapshot = await readTimelineSnapshot(parley, id);
  if (!snapshot) return watchConversation(context, id, options, { hasOutputAbove: true });
  printTimelineSoFar(context, snapshot, Boolean(options.fromStart));
  const initial = { question: snapshot.question, todos: conversation.todos };
  return watchConversation(context, id, options, { after: snapshot.lastEntryId, hasOutputAbove: true, initial });
};

/** Prints the last message or the whole timeline. Omits the open question, because the watch prompts for it. */
function printTimelineSoFar(
  { terminal }: CommandContext,
  { items, truncated }: TimelineSnapshot,
  isWhole: boolean,
): void {
  const resolvedEntries = items.filter((entry) => !(entry.kind === 'question' && entry.settledId === null));
  const entries = isWhole ? resolvedEntries : lastMessage(resolvedEntries);
  const lines = renderTimeline(entries, terminal.width(), terminal.style);
  if (isWhole && truncated) terminal.print('', terminal.style.dim('Earlier entries were removed to save space.'));
  if (lines.length > 0) terminal.print('', ...lines);
}

function lastMessage(entries: TimelineEntry[]): TimelineEntry[] {
  const last = entries.findLast(({ kind }) => kind === 'message');
  return last ? [last] : [];
}
