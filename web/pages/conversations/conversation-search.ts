import type { ConversationStatus } from '#contract/conversation';
import { STATUS_LABELS } from '#presentation/labels';

/** Filters of the list, stored in the URL so that they can be bookmarked, shared and navigated back to. */
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

/** Reads the filters from a query string and ignores invalid values. */
export function parseConversationFilters(query: string): ConversationFilters {
  const params = new URLSearchParams(query);
  const status = params.get('status') ?? '';
  const agent = params.get('agent') ?? '';
  return {
    status: Object.hasOwn(STATUS_LABELS, status) ? (status as ConversationStatus) : undefined,
    agent: AGENT_NAME.test(agent) ? agent : undefined,
    search: (params.get('search') ?? '').trim().slice(0, MAX_SEARCH_LENGTH),
  };
}

export function formatConversationsPath({ status, agent, search }: ConversationFilters): string {
  const params = new URLSearchParams();
  if (status) params.set('status', status);
  if (agent) params.set('agent', agent);
  if (search.trim()) params.set('search', search.trim());
  return ['/conversations', String(params)].filter(Boolean).join('?');
}

/** Empty pages in a row before the person is asked whether to continue. */
const MAX_EMPTY_PAGES = 5;

interface SearchPage<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** Whether to fetch the next page automatically, because the last few pages had no matches. */
export function shouldSearchFurther(pages: readonly SearchPage<unknown>[]): boolean {
  const last = pages.at(-1);
  if (!last || last.nextCursor === null) return false;
  const lastNonEmptyIndex = pages.findLastIndex(({ items }) => items.length > 0);
  const emptyCount = pages.length - 1 - lastNonEmptyIndex;
  return emptyCount % MAX_EMPTY_PAGES !== 0;
}

/** All items of these pages without duplicates: an item that changes between requests may be on two pages. */
export function mergeSearchPages<Item extends { id: string }>(pages: readonly SearchPage<Item>[]): Item[] {
  const itemsById = new Map<string, Item>();
  for (const item of pages.flatMap(({ items }) => items)) if (!itemsById.has(item.id)) itemsById.set(item.id, item);
  return [...itemsById.values()];
}
