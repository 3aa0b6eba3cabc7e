import type { ConversationStatus } from '#contract/conversation';
import { STATUS_LABELS } from '#presentation/labels';

/** Which conversations are shown. The address says it, so that it can be kept, sent and gone back to. */
export interface ConversationFilters {
  status: ConversationStatus | undefined;
  agent: string | undefined;
  search: string;
}

export const NO_CONVERSATION_FILTERS: ConversationFilters = {
  status: undefined,
  agent: undefined,
  search: '',
};

const AGENT_NAME = /^[A-Za-z0-9._-]{1,128}$/;
export const MAX_SEARCH_LENGTH = 200;

/** What an address asks for; what it cannot ask for is left out. */
export function parseConversationFilters(query: string): ConversationFilters {
  const asked = new URLSearchParams(query);
  const status = asked.get('status') ?? '';
  const agent = asked.get('agent') ?? '';
  return {
    status: Object.hasOwn(STATUS_LABELS, status) ? (status as ConversationStatus) : undefined,
    agent: AGENT_NAME.test(agent) ? agent : undefined,
    search: (asked.get('search') ?? '').trim().slice(0, MAX_SEARCH_LENGTH),
  };
}

export function formatConversationsPath({ status, agent, search }: ConversationFilters): string {
  const asked = new URLSearchParams();
  if (status) asked.set('status', status);
  if (agent) asked.set('agent', agent);
  if (search.trim()) asked.set('search', search.trim());
  return ['/conversations', String(asked)].filter(Boolean).join('?');
}

/** Pages in a row that may hold nothing before somebody is asked whether to go on. */
const MAX_EMPTY_PAGES = 5;

interface SearchPage<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** A search looks through one page after the other: it goes on by itself where the last few held nothing. */
export function shouldSearchFurther(pages: readonly SearchPage<unknown>[]): boolean {
  const last = pages.at(-1);
  if (!last || last.nextCursor === null) return false;
  const full = pages.findLastIndex(({ items }) => items.length > 0);
  const empty = pages.length - 1 - full;
  return empty % MAX_EMPTY_PAGES !== 0;
}

/** Everything on these pages, each once: what changes while one reads on may turn up on two of them. */
export function mergeSearchPages<Item extends { id: string }>(pages: readonly SearchPage<Item>[]): Item[] {
  const known = new Map<string, Item>();
  for (const item of pages.flatMap(({ items }) => items)) if (!known.has(item.id)) known.set(item.id, item);
  return [...known.values()];
}
