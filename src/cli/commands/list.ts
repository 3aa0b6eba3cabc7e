import type { Context, Run } from '#cli/context';
import { EXIT, misuse } from '#cli/exit';
import { hasNoWorker } from '#cli/has-no-worker';
import { safeLine } from '#cli/text/safe';
import { table } from '#cli/text/table';
import { toneOf } from '#cli/text/tones';
import type { ConversationFilter } from '#client/input';
import type { Conversation, ConversationStatus } from '#contract/conversation';
import { gistOf } from '#core/gist';
import { ago } from '#core/times';
import { NO_WORKER, STATUS_WORDS, unreadableText } from '#core/words';

interface Options {
  status?: string;
  agent?: string;
  search?: string;
  limit?: string;
}

const PAGE = 100;
const USUAL = 20;
const MOST = 10_000;

export const run: Run<Options> = async (context, { options }) => {
  const { limit, ...filter } = checked(options);
  const [found, isAlone] = await Promise.all([find(context, filter, limit), hasNoWorker(context)]);
  show(context, found);
  if (found.unreadable) context.terminal.complain(unreadableText(found.unreadable));
  if (isAlone) context.terminal.complain(NO_WORKER);
  return EXIT.completed;
};

interface Found {
  items: Conversation[];
  isMore: boolean;
  unreadable?: number;
}

/** Page after page, as many as are wanted. Each page says what it left out. */
async function find({ parley }: Context, filter: ConversationFilter, limit: number): Promise<Found> {
  const items: Conversation[] = [];
  let unreadable = 0;
  let cursor: string | undefined;
  do {
    const page = await parley.list({ ...filter, limit: PAGE, cursor });
    items.push(...page.items);
    unreadable += page.unreadable ?? 0;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length <= limit);
  const isMore = items.length > limit;
  return { items: items.slice(0, limit), isMore, ...(unreadable > 0 ? { unreadable } : {}) };
}

function checked({ status, limit = String(USUAL), agent, search }: Options) {
  if (!/^[1-9]\d*$/.test(limit) || Number(limit) > MOST)
    throw misuse(
      `--limit takes a number from 1 to ${MOST.toLocaleString('en')}, not ${JSON.stringify(limit)}.`,
    );
  return { agent, search, limit: Number(limit), status: status === undefined ? undefined : statusOf(status) };
}

function statusOf(given: string): ConversationStatus {
  const wanted = given === 'waiting' ? 'waiting_for_input' : given;
  if (Object.hasOwn(STATUS_WORDS, wanted)) return wanted as ConversationStatus;
  throw misuse(
    `--status takes running, waiting, completed, failed or cancelled, not ${JSON.stringify(given)}.`,
  );
}

function show({ terminal, isJson }: Context, { items, isMore, ...rest }: Found): void {
  if (isJson) terminal.printJson({ items, isMore, ...rest });
  else if (!terminal.isInteractive) terminal.print(...items.map(asFields));
  else if (items.length === 0)
    terminal.print('No conversations. Start one: parley start "Plan our team offsite"');
  else {
    const rows = items.map((one) => [
      toneOf(one.status, terminal.style)(STATUS_WORDS[one.status]),
      safeLine(one.id),
      safeLine(one.agent),
      terminal.style.dim(ago(one.updatedAt, Date.now())),
      `${safeLine(one.title)} ${terminal.style.dim(gistOf(one)?.text ? `· ${safeLine(gistOf(one)?.text ?? '')}` : '')}`,
    ]);
    terminal.print(...table(rows, terminal.width()));
    if (isMore) terminal.print(terminal.style.dim('There are more: --limit shows more of them.'));
  }
}

/** For other programs: what does not change its place or its meaning, with tabs between. */
function asFields({ id, status, agent, updatedAt, title }: Conversation): string {
  return [id, status, agent, updatedAt, title].map(safeLine).join('\t');
}
