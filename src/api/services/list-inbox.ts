import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import { canView } from '#api/middleware/authorization';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { buildVisibilityQuery, byAgent, STATUS_CLAUSES, visibleTo } from '#api/temporal/visibility-query';
import type { Question } from '#contract/question';
import type { InboxQuery } from '#contract/requests';
import { sortByUrgency, urgencyRank } from '#presentation/question-list';
import { type ConversationListing, unreadableCount } from './list-conversations';
import { nextCursor, signCursor, verifyCursor } from './pagination-cursor';

const MAX_SORTED = 1_000;

/** Lists all open questions: the first thousand by deadline, soonest first, then in Visibility's order. */
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
  const token = cursor?.token ? Buffer.from(cursor.token, 'base64') : undefined;
  const page = await gateway.list(visibilityQuery, token ? query.limit : MAX_SORTED, token);
  // The index of some databases ignores case, so names are compared here again.
  const visible = page.runs.filter((run) => canView(caller, run.memo.start.access));
  const questions = visible.flatMap((run) => run.memo.question ?? []);
  const after = cursor?.after ?? '';
  const remaining = token ? questions : sortByUrgency(questions).filter((question) => urgencyRank(question) > after);
  const items = remaining.slice(0, query.limit);
  const last = items.at(-1);
  const next =
    last && remaining.length > items.length
      ? signCursor(secret, visibilityQuery, { after: urgencyRank(last) })
      : nextCursor(secret, visibilityQuery, page.token);
  return { items, nextCursor: next, ...unreadableCount(page.unreadable.length) };
}

const MAX_INBOX_PAGES = 10;

/** Returns up to ten thousand runs with an open question, without the past results that watchers do not need. */
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
