import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationListQuery, InboxQuery } from '#contract/requests';
import type { Caller } from './caller';
import type { Context } from './context';
import { nextOf, readCursor, writeCursor } from './cursor';
import type { Gateway } from './gateway';
import { fromMemo } from './reading';
import type { Run, RunIds } from './run';
import { holds, wordsIn } from './search';
import { NEWEST_ONLY, ofAgent, STATUS, seenBy, visibility } from './visibility';

export interface Listed<T> {
  items: T[];
  nextCursor: string | null;
  /** How many were left out, as they were encrypted with a key that is not here. */
  unreadable?: number;
}

function leftOut(unreadable: number): { unreadable?: number } {
  return unreadable > 0 ? { unreadable } : {};
}

/** A search looks on from page to page, for as long as somebody may be made to wait. */
const SEARCHED_PAGES = 20;

/** Conversations in Visibility's order, one item for each id. */
export async function listConversations(
  { gateway, secret, linksOf }: Context,
  caller: Caller,
  query: ConversationListQuery,
): Promise<Listed<Conversation>> {
  const status = query.status && STATUS[query.status];
  const wanted = visibility(NEWEST_ONLY, status, ofAgent(query.agent), seenBy(caller, gateway.salt));
  const words = wordsIn(query.search ?? '');
  const list = words.length > 0 ? `${wanted}\n${JSON.stringify(words)}` : wanted;
  let token = readCursor(secret, query.cursor, list)?.token;
  let unreadable = 0;
  for (let pages = 1; ; pages += 1) {
    const page = await gateway.list(wanted, query.limit, token ? Buffer.from(token, 'base64') : undefined);
    const found = page.runs.filter((run) => holds(fromMemo(run), words));
    const newest = await newestRuns(gateway, [...found, ...page.unreadable]);
    const isNewest = (run: RunIds) => newest.get(run.id) === run.runId;
    const runs = found.filter(isNewest);
    unreadable += page.unreadable.filter(isNewest).length;
    const isLast = words.length === 0 || pages === SEARCHED_PAGES || page.token.length === 0;
    if (isLast || runs.length > 0) {
      const items = runs.map((run) => ({ ...fromMemo(run), links: linksOf(run.id) }));
      return { items, nextCursor: nextOf(secret, list, page.token), ...leftOut(unreadable) };
    }
    token = page.token.toString('base64');
  }
}

/** A conversation taken up again has several closed runs: only the newest speaks for it. */
async function newestRuns(gateway: Gateway, runs: RunIds[]): Promise<Map<string, string>> {
  const newest = new Map<string, string>();
  if (runs.length === 0) return newest;
  const ids = [...new Set(runs.map((run) => run.id))].map((id) => `'${id}'`).join(', ');
  const all = await gateway.list(visibility(NEWEST_ONLY, `WorkflowId IN (${ids})`), 1_000);
  for (const run of all.ids) if (!newest.has(run.id)) newest.set(run.id, run.runId);
  return newest;
}

const SORTED = 1_000;

/** Everything that waits for somebody: soonest deadline first among the first thousand, then Visibility's order. */
export async function listInbox(
  { gateway, secret }: Context,
  caller: Caller,
  query: InboxQuery,
): Promise<Listed<Question>> {
  const wanted = visibility(
    STATUS.waiting_for_input,
    ofAgent(query.agent),
    query.conversation && `(WorkflowId = '${query.conversation}' OR ParleyRoot = '${query.conversation}')`,
    seenBy(caller, gateway.salt),
  );
  const cursor = readCursor(secret, query.cursor, wanted);
  if (cursor?.token) {
    const page = await gateway.list(wanted, query.limit, Buffer.from(cursor.token, 'base64'));
    const more = leftOut(page.unreadable.length);
    return { items: questionsOf(page.runs), nextCursor: nextOf(secret, wanted, page.token), ...more };
  }
  const page = await gateway.list(wanted, SORTED);
  const more = leftOut(page.unreadable.length);
  const sorted = soonestFirst(questionsOf(page.runs));
  const rest = sorted.filter((question) => orderOf(question) > (cursor?.after ?? ''));
  const items = rest.slice(0, query.limit);
  const last = items.at(-1);
  if (rest.length > query.limit && last)
    return { items, nextCursor: writeCursor(secret, wanted, { after: orderOf(last) }), ...more };
  return { items, nextCursor: nextOf(secret, wanted, page.token), ...more };
}

const WAITING_PAGES = 10;

/** The runs that wait for somebody, the first ten thousand of them, without what of their past is not needed to watch them. */
export async function listWaiting(gateway: Gateway): Promise<{ runs: Run[]; truncated: boolean; unreadable: number }> {
  const runs: Run[] = [];
  let unreadable = 0;
  let token: Buffer | undefined;
  for (let pages = 0; pages < WAITING_PAGES; pages += 1) {
    const page = await gateway.list(visibility(STATUS.waiting_for_input), SORTED, token);
    for (const run of page.runs) runs.push({ ...run, memo: { ...run.memo, settled: null, verdicts: [] } });
    unreadable += page.unreadable.length;
    if (page.token.length === 0) return { runs, truncated: false, unreadable };
    token = page.token;
  }
  return { runs, truncated: true, unreadable };
}

function questionsOf(runs: Run[]): Question[] {
  return runs.flatMap((run) => (run.memo.question ? [run.memo.question] : []));
}

export function soonestFirst(questions: Question[]): Question[] {
  return [...questions].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function orderOf(question: Question): string {
  return `${question.expiresAt ?? '~'} ${question.conversationId}`;
}
