import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import { canView } from '#api/middleware/authorization';
import type { ExecutionRef } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import {
  buildVisibilityQuery,
  byAgent,
  EXCLUDE_CONTINUED,
  STATUS_CLAUSES,
  visibleTo,
} from '#api/temporal/visibility-query';
import { type Conversation, ConversationStatus } from '#contract/conversation';
import type { ConversationListQuery } from '#contract/requests';
import type { StatusCounts } from '#contract/responses';
import { nextCursor, verifyCursor } from './pagination-cursor';
import { readFromMemo } from './read-conversation';

export interface ConversationListing<T> {
  items: T[];
  nextCursor: string | null;
  /** How many were left out because their encryption key is not configured. */
  unreadable?: number;
}

/** The field is left out if nothing was unreadable. */
export function unreadableCount(unreadable: number): { unreadable?: number } {
  return unreadable > 0 ? { unreadable } : {};
}

/** How many pages a search reads before it returns, so that the caller does not wait too long. */
const MAX_SEARCH_PAGES = 20;

/** Returns conversations in Visibility's order, one item per id. */
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
    const matching = page.runs.filter(
      (run) => canView(caller, run.memo.start.access) && matchesSearchTerms(readFromMemo(run), terms),
    );
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
  // A page is full of one conversation if that was reopened very often.
  const missing = runs.filter((run) => !runIds.has(run.id));
  for (const run of await Promise.all(missing.map(({ id }) => gateway.find(id))))
    if (run) runIds.set(run.id, run.runId);
  return runIds;
}

/**
 * Counts conversations by status. Visibility counts runs: one per open conversation, but one per ending of a finished
 * one. It cannot tell which were reopened.
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

/** Splits a search into words, ignoring case. */
export function parseSearchTerms(search: string): string[] {
  return foldCase(search).split(/\s+/).filter(Boolean);
}

/** Returns whether all words occur in the listed fields. Visibility cannot search memos, so the API does. */
export function matchesSearchTerms(
  { id, title, agent, result }: Pick<Conversation, 'id' | 'title' | 'agent' | 'result'>,
  terms: string[],
): boolean {
  if (terms.length === 0) return true;
  const text = foldCase([id, title, agent, result ?? ''].join('\n'));
  return terms.every((term) => text.includes(term));
}

/** Lower case, then upper: `ẞ`, `ß` and `ss` become equal, as do the two forms of a lower-case sigma. */
function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase();
}
