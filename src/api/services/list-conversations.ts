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

function unreadableCount(unreadable: number): { unreadable?: number } {
  return unreadable > 0 ? { unreadable } : {};
}

/** How many pages a search reads before it returns, so that the caller does not wait too long. */
const MAX_SEARCH_PAGES = 20;

/** Conversations in Visibility's order, one item for each id. */
export async function listConversations(
  { gateway, secret, buildLinks }: ApiDeps,
  caller: Principal,
  query: ConversationListQuery,
): Promise<ConversationListing<Conversation>> {
  const status = query.status && STATUS_CLAUSES[query.status];
  const visibilityQuery = buildVisibilityQuery(
    EXCLUDE_CONTINUED,
    status,
    byAgent(query.agent),
    visibleTo(caller, gateway.salt),
  );
  const terms = parseSearchTerms(query.search ?? '');
  const cursorScope = terms.length > 0 ? `${visibilityQuery}\n${JSON.stringify(terms)}` : visibilityQuery;
  let token = verifyCursor(secret, query.cursor, cursorScope)?.token;
  let unreadable = 0;
  for (let pages = 1; ; pages += 1) {
    const page = await gateway.list(visibilityQuery, query.limit, token ? Buffer.from(token, 'base64') : undefined);
    const matching = page.runs.filter((run) => matchesSearchTerms(readFromMemo(run), terms));
    const newestRunIds = await findNewestRunIds(gateway, [...matching, ...page.unreadable]);
    const isNewest = (run: ExecutionRef) => newestRunIds.get(run.id) === run.runId;
    const runs = matching.filter(isNewest);
    unreadable += page.unreadable.filter(isNewest).length;
    const isLast = terms.length === 0 || pages === MAX_SEARCH_PAGES || page.token.length === 0;
    if (isLast || runs.length > 0) {
      const items = runs.map((run) => ({ ...readFromMemo(run), links: buildLinks(run.id) }));
      return { items, nextCursor: nextCursor(secret, cursorScope, page.token), ...unreadableCount(unreadable) };
    }
    token = page.token.toString('base64');
  }
}

/** A reopened conversation has several closed runs; only the newest is listed. */
async function findNewestRunIds(gateway: TemporalGateway, runs: ExecutionRef[]): Promise<Map<string, string>> {
  const runIds = new Map<string, string>();
  if (runs.length === 0) return runIds;
  const ids = [...new Set(runs.map((run) => run.id))].map((id) => `'${id}'`).join(', ');
  const page = await gateway.list(buildVisibilityQuery(EXCLUDE_CONTINUED, `WorkflowId IN (${ids})`), 1_000);
  for (const run of page.refs) if (!runIds.has(run.id)) runIds.set(run.id, run.runId);
  return runIds;
}

const MAX_SORTED = 1_000;

/** Everything that waits for somebody: soonest deadline first among the first thousand, then Visibility's order. */
export async function listInbox(
  { gateway, secret }: ApiDeps,
  caller: Principal,
  query: InboxQuery,
): Promise<ConversationListing<Question>> {
  const visibilityQuery = buildVisibilityQuery(
    STATUS_CLAUSES.waiting_for_input,
    byAgent(query.agent),
    query.conversation && `(WorkflowId = '${query.conversation}' OR ParleyRoot = '${query.conversation}')`,
    visibleTo(caller, gateway.salt),
  );
  const cursor = verifyCursor(secret, query.cursor, visibilityQuery);
  if (cursor?.token) {
    const page = await gateway.list(visibilityQuery, query.limit, Buffer.from(cursor.token, 'base64'));
    const unreadableField = unreadableCount(page.unreadable.length);
    return {
      items: openQuestionsOf(page.runs),
      nextCursor: nextCursor(secret, visibilityQuery, page.token),
      ...unreadableField,
    };
  }
  const page = await gateway.list(visibilityQuery, MAX_SORTED);
  const unreadableField = unreadableCount(page.unreadable.length);
  const sorted = byDeadline(openQuestionsOf(page.runs));
  const remaining = sorted.filter((question) => sortKey(question) > (cursor?.after ?? ''));
  const items = remaining.slice(0, query.limit);
  const last = items.at(-1);
  if (remaining.length > query.limit && last)
    return { items, nextCursor: signCursor(secret, visibilityQuery, { after: sortKey(last) }), ...unreadableField };
  return { items, nextCursor: nextCursor(secret, visibilityQuery, page.token), ...unreadableField };
}

const MAX_INBOX_PAGES = 10;

/** The runs that wait for somebody, the first ten thousand of them, without what of their past is not needed to watch them. */
export async function listOpenQuestions(
  gateway: TemporalGateway,
): Promise<{ runs: Execution[]; truncated: boolean; unreadable: number }> {
  const runs: Execution[] = [];
  let unreadable = 0;
  let token: Buffer | undefined;
  for (let pages = 0; pages < MAX_INBOX_PAGES; pages += 1) {
    const page = await gateway.list(buildVisibilityQuery(STATUS_CLAUSES.waiting_for_input), MAX_SORTED, token);
    for (const run of page.runs)
      runs.push({ ...run, memo: { ...run.memo, settledQuestion: null, messageResults: [] } });
    unreadable += page.unreadable.length;
    if (page.token.length === 0) return { runs, truncated: false, unreadable };
    token = page.token;
  }
  return { runs, truncated: true, unreadable };
}

function openQuestionsOf(runs: Execution[]): Question[] {
  return runs.flatMap((run) => (run.memo.question ? [run.memo.question] : []));
}

export function byDeadline(questions: Question[]): Question[] {
  return [...questions].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function sortKey(question: Question): string {
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
  const counts = await Promise.all(
    ConversationStatus.options.map(async (status) => {
      const visibilityQuery = buildVisibilityQuery(
        STATUS_CLAUSES[status],
        byAgent(agent),
        visibleTo(caller, gateway.salt),
      );
      return [status, await gateway.count(visibilityQuery)] as const;
    }),
  );
  return Object.fromEntries(counts) as StatusCounts;
}

/** What is looked for, in whatever case it was typed. */
export function parseSearchTerms(search: string): string[] {
  return foldCase(search).split(/\s+/).filter(Boolean);
}

/** Whether all the words are in what a list shows of it. Visibility cannot look into memos, so we do. */
export function matchesSearchTerms(
  { id, title, agent, result }: Pick<Conversation, 'id' | 'title' | 'agent' | 'result'>,
  terms: string[],
): boolean {
  if (terms.length === 0) return true;
  const text = foldCase([id, title, agent, result ?? ''].join('\n'));
  return terms.every((term) => text.includes(term));
}

/** Down and up again: `ẞ`, `ß` and `ss` are the same then, and so is a sigma wherever in a word it stands. */
function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase();
}
