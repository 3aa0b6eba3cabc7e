import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import type { Execution, ExecutionRef } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import {
  buildVisibilityQuery,
  byAgent,
  EXCLUDE_CONTINUED,
  STATUS_CLAUSES,
  visibleTo,
} from '#api/temporal/visibility-query';
import { type Conversation, ConversationStatus } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { ConversationListQuery, InboxQuery } from '#contract/requests';
import type { StatusCounts } from '#contract/responses';
import { nextCursor, signCursor, verifyCursor } from './pagination-cursor';
import { readFromMemo } from './read-conversation';

export interface ConversationListing<T> {
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
  { gateway, secret, linksOf }: ApiDeps,
  caller: Principal,
  query: ConversationListQuery,
): Promise<ConversationListing<Conversation>> {
  const status = query.status && STATUS_CLAUSES[query.status];
  const wanted = buildVisibilityQuery(EXCLUDE_CONTINUED, status, byAgent(query.agent), visibleTo(caller, gateway.salt));
  const words = parseSearchTerms(query.search ?? '');
  const list = words.length > 0 ? `${wanted}\n${JSON.stringify(words)}` : wanted;
  let token = verifyCursor(secret, query.cursor, list)?.token;
  let unreadable = 0;
  for (let pages = 1; ; pages += 1) {
    const page = await gateway.list(wanted, query.limit, token ? Buffer.from(token, 'base64') : undefined);
    const found = page.runs.filter((run) => matchesSearchTerms(readFromMemo(run), words));
    const newest = await newestRuns(gateway, [...found, ...page.unreadable]);
    const isNewest = (run: ExecutionRef) => newest.get(run.id) === run.runId;
    const runs = found.filter(isNewest);
    unreadable += page.unreadable.filter(isNewest).length;
    const isLast = words.length === 0 || pages === SEARCHED_PAGES || page.token.length === 0;
    if (isLast || runs.length > 0) {
      const items = runs.map((run) => ({ ...readFromMemo(run), links: linksOf(run.id) }));
      return { items, nextCursor: nextCursor(secret, list, page.token), ...leftOut(unreadable) };
    }
    token = page.token.toString('base64');
  }
}

/** A conversation taken up again has several closed runs: only the newest speaks for it. */
async function newestRuns(gateway: TemporalGateway, runs: ExecutionRef[]): Promise<Map<string, string>> {
  const newest = new Map<string, string>();
  if (runs.length === 0) return newest;
  const ids = [...new Set(runs.map((run) => run.id))].map((id) => `'${id}'`).join(', ');
  const all = await gateway.list(buildVisibilityQuery(EXCLUDE_CONTINUED, `WorkflowId IN (${ids})`), 1_000);
  for (const run of all.ids) if (!newest.has(run.id)) newest.set(run.id, run.runId);
  return newest;
}

const SORTED = 1_000;

/** Everything that waits for somebody: soonest deadline first among the first thousand, then Visibility's order. */
export async function listInbox(
  { gateway, secret }: ApiDeps,
  caller: Principal,
  query: InboxQuery,
): Promise<ConversationListing<Question>> {
  const wanted = buildVisibilityQuery(
    STATUS_CLAUSES.waiting_for_input,
    byAgent(query.agent),
    query.conversation && `(WorkflowId = '${query.conversation}' OR ParleyRoot = '${query.conversation}')`,
    visibleTo(caller, gateway.salt),
  );
  const cursor = verifyCursor(secret, query.cursor, wanted);
  if (cursor?.token) {
    const page = await gateway.list(wanted, query.limit, Buffer.from(cursor.token, 'base64'));
    const more = leftOut(page.unreadable.length);
    return { items: questionsOf(page.runs), nextCursor: nextCursor(secret, wanted, page.token), ...more };
  }
  const page = await gateway.list(wanted, SORTED);
  const more = leftOut(page.unreadable.length);
  const sorted = byDeadline(questionsOf(page.runs));
  const rest = sorted.filter((question) => orderOf(question) > (cursor?.after ?? ''));
  const items = rest.slice(0, query.limit);
  const last = items.at(-1);
  if (rest.length > query.limit && last)
    return { items, nextCursor: signCursor(secret, wanted, { after: orderOf(last) }), ...more };
  return { items, nextCursor: nextCursor(secret, wanted, page.token), ...more };
}

const WAITING_PAGES = 10;

/** The runs that wait for somebody, the first ten thousand of them, without what of their past is not needed to watch them. */
export async function listOpenQuestions(
  gateway: TemporalGateway,
): Promise<{ runs: Execution[]; truncated: boolean; unreadable: number }> {
  const runs: Execution[] = [];
  let unreadable = 0;
  let token: Buffer | undefined;
  for (let pages = 0; pages < WAITING_PAGES; pages += 1) {
    const page = await gateway.list(buildVisibilityQuery(STATUS_CLAUSES.waiting_for_input), SORTED, token);
    for (const run of page.runs) runs.push({ ...run, memo: { ...run.memo, settled: null, verdicts: [] } });
    unreadable += page.unreadable.length;
    if (page.token.length === 0) return { runs, truncated: false, unreadable };
    token = page.token;
  }
  return { runs, truncated: true, unreadable };
}

function questionsOf(runs: Execution[]): Question[] {
  return runs.flatMap((run) => (run.memo.question ? [run.memo.question] : []));
}

export function byDeadline(questions: Question[]): Question[] {
  return [...questions].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function orderOf(question: Question): string {
  return `${question.expiresAt ?? '~'} ${question.conversationId}`;
}

/**
 * How many conversations are in each status. Visibility counts runs: of what is open there is one each, of what ended
 * one for each ending, and it cannot tell which of them were taken up again.
 */
export async function countConversations(
  { gateway }: ApiDeps,
  caller: Principal,
  agent: string | undefined,
): Promise<StatusCounts> {
  const counted = await Promise.all(
    ConversationStatus.options.map(async (status) => {
      const wanted = buildVisibilityQuery(STATUS_CLAUSES[status], byAgent(agent), visibleTo(caller, gateway.salt));
      return [status, await gateway.count(wanted)] as const;
    }),
  );
  return Object.fromEntries(counted) as StatusCounts;
}

/** What is looked for, in whatever case it was typed. */
export function parseSearchTerms(search: string): string[] {
  return fold(search).split(/\s+/).filter(Boolean);
}

/** Whether all the words are in what a list shows of it. Visibility cannot look into memos, so we do. */
export function matchesSearchTerms(
  { id, title, agent, result }: Pick<Conversation, 'id' | 'title' | 'agent' | 'result'>,
  words: string[],
): boolean {
  if (words.length === 0) return true;
  const text = fold([id, title, agent, result ?? ''].join('\n'));
  return words.every((word) => text.includes(word));
}

/** Down and up again: `ẞ`, `ß` and `ss` are the same then, and so is a sigma wherever in a word it stands. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase();
}
