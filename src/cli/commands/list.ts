import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT, usageError } from '#cli/errors';
import { hasNoWorker, type ListedItems, printListNotices, readPages } from '#cli/lookups';
import { statusColor } from '#cli/render/colors';
import { sanitizeLine } from '#cli/render/sanitize';
import { layoutColumns } from '#cli/render/text';
import type { Conversation, ConversationStatus } from '#contract/conversation';
import { formatTimeAgo } from '#presentation/format-time';
import { STATUS_LABELS, summarizeConversation } from '#presentation/labels';

interface Options {
  status?: string;
  agent?: string;
  search?: string;
  limit?: string;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 10_000;

export const runList: CommandHandler<Options> = async (context, { options }) => {
  const { limit, ...filter } = parseListOptions(options);
  const [list, isWithoutWorker] = await Promise.all([
    readPages((page) => context.parley.list({ ...filter, ...page }), limit),
    hasNoWorker(context),
  ]);
  printConversations(context, list);
  printListNotices(context, list, isWithoutWorker, 'conversation');
  return EXIT.completed;
};

function parseListOptions({ status, limit = String(DEFAULT_LIMIT), agent, search }: Options) {
  if (!/^[1-9]\d*$/.test(limit) || Number(limit) > MAX_LIMIT)
    throw usageError(
      `--limit must be a number from 1 to ${MAX_LIMIT.toLocaleString('en')}, not ${JSON.stringify(limit)}.`,
    );
  return {
    agent,
    search,
    limit: Number(limit),
    status: status === undefined ? undefined : parseStatus(status),
  };
}

function parseStatus(value: string): ConversationStatus {
  const status = value === 'waiting' ? 'waiting_for_input' : value;
  if (Object.hasOwn(STATUS_LABELS, status)) return status as ConversationStatus;
  throw usageError(`--status must be running, waiting, completed, failed or cancelled, not ${JSON.stringify(value)}.`);
}

function printConversations({ terminal, isJson }: CommandContext, list: ListedItems<Conversation>): void {
  const { items, isMore } = list;
  const { style } = terminal;
  if (isJson) return terminal.printJson(list);
  if (!terminal.isInteractive) return terminal.print(...items.map(formatConversationRow));
  if (items.length === 0) return terminal.print('No conversations. Start one: parley start "Plan our team offsite"');
  const rows = items.map((conversation) => {
    const { id, status, agent, title, updatedAt } = conversation;
    const summary = sanitizeLine(summarizeConversation(conversation)?.text ?? '');
    return [
      statusColor(status, style)(STATUS_LABELS[status]),
      sanitizeLine(id),
      sanitizeLine(agent),
      style.dim(formatTimeAgo(updatedAt, Date.now())),
      `${sanitizeLine(title)} ${style.dim(summary && `· ${summary}`)}`,
    ];
  });
  terminal.print(...layoutColumns(rows, terminal.width()));
  if (isMore) terminal.print(style.dim('More available: use --limit.'));
}

/** Formats a conversation as a tab-separated line for scripts, with stable columns only. */
function formatConversationRow({ id, status, agent, updatedAt, title }: Conversation): string {
  return [id, status, agent, updatedAt, title].map(sanitizeLine).join('\t');
}
