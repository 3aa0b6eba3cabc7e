import type { Conversation, ConversationStatus } from '../../contract/conversation';
import { gistOf } from '../../core/gist';
import { ago } from '../../core/times';
import { STATUS_WORDS } from '../../core/words';
import type { Context, Run } from '../context';
import { EXIT, misuse } from '../exit';
import { safeLine } from '../text/safe';
import { table } from '../text/table';
import { toneOf } from '../text/tones';

interface Options {
  status?: string;
  agent?: string;
  search?: string;
  limit?: string;
}

const USUAL = 20;
const MOST = 10_000;

export const run: Run<Options> = async (context, { options }) => {
  const { status, limit, ...filter } = checked(options);
  const items: Conversation[] = [];
  for await (const conversation of context.parley.all({ ...filter, status })) {
    if (items.length === limit) return show(context, items, true);
    items.push(conversation);
  }
  return show(context, items, false);
};

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

function show({ terminal, isJson }: Context, items: Conversation[], isMore: boolean) {
  if (isJson) terminal.printJson({ items, isMore });
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
  return EXIT.completed;
}

/** For other programs: what does not change its place or its meaning, with tabs between. */
function asFields({ id, status, agent, updatedAt, title }: Conversation): string {
  return [id, status, agent, updatedAt, title].map(safeLine).join('\t');
}
