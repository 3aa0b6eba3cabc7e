import { createHmac } from 'node:crypto';
import type { Conversation, ConversationStatus } from '../contract/conversation';
import type { Question } from '../contract/question';
import type { InboxQuery, ListQuery } from '../contract/requests';
import { WORKFLOW_TYPE } from '../workflows/messages';
import { namesOf } from './access';
import type { Caller } from './caller';
import type { Context } from './context';
import { Refusal } from './errors';
import type { Gateway } from './gateway';
import { fromMemo } from './reading';
import type { Run } from './run';
import { isSame } from './same';

export interface Listed<T> {
  items: T[];
  nextCursor: string | null;
}

/** Filter values were checked by the contract: none can end its quotes. */
function visibility(...conditions: (string | false | undefined)[]): string {
  return [`WorkflowType = '${WORKFLOW_TYPE}'`, ...conditions.filter(Boolean)].join(' AND ');
}

/** Key names have no quotes in them. */
function seenBy(caller: Caller): string | undefined {
  const names = namesOf(caller)?.map((name) => `'${name}'`);
  return names && `ParleyAudience IN (${names.join(', ')})`;
}

const NEWEST_ONLY = "ExecutionStatus != 'ContinuedAsNew'";

/** A run ended from outside wrote no status of its own: Temporal's tells. */
const STATUS: Record<ConversationStatus, string> = {
  running: "(ExecutionStatus = 'Running' AND ParleyStatus = 'running')",
  waiting_for_input: "(ExecutionStatus = 'Running' AND ParleyStatus = 'waiting_for_input')",
  completed: "(ExecutionStatus = 'Completed' AND ParleyStatus = 'completed')",
  failed:
    "((ExecutionStatus = 'Completed' AND ParleyStatus = 'failed') OR ExecutionStatus = 'Failed' OR ExecutionStatus = 'TimedOut')",
  cancelled:
    "((ExecutionStatus = 'Completed' AND ParleyStatus = 'cancelled') OR ExecutionStatus = 'Terminated' OR ExecutionStatus = 'Canceled')",
};

/** Conversations in Visibility's order, one item for each id. */
export async function listConversations(
  { gateway, secret, linksOf }: Context,
  caller: Caller,
  query: ListQuery,
): Promise<Listed<Conversation>> {
  const agent = query.agent && `ParleyAgent = '${query.agent}'`;
  const wanted = visibility(NEWEST_ONLY, query.status && STATUS[query.status], agent, seenBy(caller));
  const cursor = readCursor(secret, query.cursor, wanted);
  const page = await gateway.list(
    wanted,
    query.limit,
    cursor?.token ? Buffer.from(cursor.token, 'base64') : undefined,
  );
  const newest = await newestRuns(gateway, page.runs);
  const runs = page.runs.filter((run) => newest.get(run.id) === run.runId);
  const items = runs.map((run) => ({ ...fromMemo(run), links: linksOf(run.id) }));
  return { items, nextCursor: nextOf(secret, wanted, page.token) };
}

/** A conversation taken up again has several closed runs: only the newest speaks for it. */
async function newestRuns(gateway: Gateway, runs: Run[]): Promise<Map<string, string>> {
  const newest = new Map<string, string>();
  if (runs.length === 0) return newest;
  const ids = [...new Set(runs.map((run) => run.id))].map((id) => `'${id}'`).join(', ');
  const all = await gateway.list(visibility(NEWEST_ONLY, `WorkflowId IN (${ids})`), 1_000);
  for (const run of all.runs) if (!newest.has(run.id)) newest.set(run.id, run.runId);
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
    query.agent && `ParleyAgent = '${query.agent}'`,
    query.conversation && `(WorkflowId = '${query.conversation}' OR ParleyRoot = '${query.conversation}')`,
    seenBy(caller),
  );
  const cursor = readCursor(secret, query.cursor, wanted);
  if (cursor?.token) {
    const page = await gateway.list(wanted, query.limit, Buffer.from(cursor.token, 'base64'));
    return { items: questionsOf(page.runs), nextCursor: nextOf(secret, wanted, page.token) };
  }
  const page = await gateway.list(wanted, SORTED);
  const sorted = soonestFirst(questionsOf(page.runs));
  const rest = sorted.filter((question) => orderOf(question) > (cursor?.after ?? ''));
  const items = rest.slice(0, query.limit);
  const last = items.at(-1);
  if (rest.length > query.limit && last)
    return { items, nextCursor: writeCursor(secret, wanted, { after: orderOf(last) }) };
  return { items, nextCursor: nextOf(secret, wanted, page.token) };
}

const WAITING_PAGES = 10;

/** The runs that wait for somebody, the first ten thousand of them, without what of their past is not needed to watch them. */
export async function listWaiting(gateway: Gateway): Promise<{ runs: Run[]; truncated: boolean }> {
  const runs: Run[] = [];
  let token: Buffer | undefined;
  for (let pages = 0; pages < WAITING_PAGES; pages += 1) {
    const page = await gateway.list(visibility(STATUS.waiting_for_input), SORTED, token);
    for (const run of page.runs) runs.push({ ...run, memo: { ...run.memo, settled: null, verdicts: [] } });
    if (page.token.length === 0) return { runs, truncated: false };
    token = page.token;
  }
  return { runs, truncated: true };
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

interface Cursor {
  token?: string;
  after?: string;
}

function nextOf(secret: string, wanted: string, token: Buffer): string | null {
  return token.length > 0 ? writeCursor(secret, wanted, { token: token.toString('base64') }) : null;
}

/** Signed, with the filter it belongs to: what comes back is what was given, or it is refused. */
function writeCursor(secret: string, wanted: string, cursor: Cursor): string {
  const body = Buffer.from(JSON.stringify(cursor)).toString('base64url');
  return `${body}.${sign(secret, wanted, body)}`;
}

function readCursor(secret: string, given: string | undefined, wanted: string): Cursor | undefined {
  if (given === undefined) return undefined;
  const [body = '', signature = ''] = given.split('.');
  if (isSame(signature, sign(secret, wanted, body))) {
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Cursor;
  }
  const message = 'this is not a cursor of this list; take nextCursor from a page with the same filters';
  throw new Refusal('invalid_request', `The request is not valid. cursor: ${message}`, {
    errors: [{ path: 'cursor', message }],
  });
}

function sign(secret: string, wanted: string, body: string): string {
  return createHmac('sha256', secret).update(`${wanted}\n${body}`).digest('base64url').slice(0, 22);
}
