import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT, usageError } from '#cli/errors';
import { hasNoWorker } from '#cli/lookups';
import { statusColor } from '#cli/render/colors';
import { sanitizeLine } from '#cli/render/sanitize';
import { layoutColumns } from '#cli/render/text';
import type { ConversationFilter } from '#client/options';
import type { Conversation, ConversationStatus } from '#contract/conversation';
import { formatTimeAgo } from '#presentation/format-time';
import { describeUnreadable, NO_WORKER_MESSAGE, STATUS_LABELS, summarizeConversation } from '#presentation/labels';

interface Options {
  status?: string;
  agent?: string;
  search?: string;
  limit?: string;
}

const PAGE_SIZE = 100;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 10_000;

export const runList: CommandHandler<Options> = async (context, { options }) => {
  const { limit, ...filter } = parseListOptions(options);
  const [list, isWithoutWorker] = await Promise.all([readConversations(context, filter, limit), hasNoWorker(context)]);
  printConversations(context, list);
  if (list.unreadable) context.terminal.printError(describeUnreadable(list.unreadable, 'conversation'));
  if (isWithoutWorker) context.terminal.printError(NO_WORKER_MESSAGE);
  return EXIT.completed;
};

interface ConversationList {
  items: Conversation[];
  isMore: boolean;
  unreadable?: number;
}

/** Reads pages until the limit is reached. Each page reports what it left out. */
async function readConversations(
  { parley }: CommandContext,
  filter: ConversationFilter,
  limit: number,
): Promise<ConversationList> {
  const items: Conversation[] = [];
  let unreadable = 0;
  let cursor: string | undefined;
  do {
    const page = await parley.list({ ...filter, limit: PAGE_SIZE, cursor });
    items.push(...page.items);
    unreadable += page.unreadable ?? 0;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length <= limit);
  const isMore = items.length > limit;
  return { items: items.slice(0, limit), isMore, ...(unreadable > 0 ? { unreadable } : {}) };
}

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

function printConversations({ terminal, isJson }: CommandContext, { items, isMore, ...rest }: ConversationList): void {
  if (isJson) terminal.printJson({ items, isMore, ...rest });
  else if (!terminal.isInteractive) terminal.print(...items.map(formatConversationRow));
  else if (items.length === 0) terminal.print('No conversations. Start one: parley start "Plan our team offsite"');
  else {
    const rows = items.map((conversation) => [
      statusColor(conversation.status, terminal.style)(STATUS_LABELS[conversation.status]),
      sanitizeLine(conversation.id),
      sanitizeLine(conversation.agent),
      terminal.style.dim(formatTimeAgo(conversation.updatedAt, Date.now())),
      `${sanitizeLine(conversation.title)} ${terminal.style.dim(summarizeConversation(conversation)?.text ? `· ${sanitizeLine(summarizeConversation(conversation)?.text ?? '')}` : '')}`,
    ]);
    terminal.print(...layoutColumns(rows, terminal.width()));
    if (isMore) terminal.print(terminal.style.dim('More available: use --limit.'));
  }
}

/** Formats a conversation as a tab-separated line for scripts, with stable columns only. */
function formatConversationRow({ id, status, agent, updatedAt, title }: Conversation): string {
  return [id, status, agent, updatedAt, title].map(sanitizeLine).join('\t');
}
