import type { ConversationStatus } from '#contract/conversation';
import { STATUS_WORDS } from '#core/words';

/** Which conversations are shown. The address says it, so that it can be kept, sent and gone back to. */
export interface Filters {
  status: ConversationStatus | undefined;
  agent: string | undefined;
  search: string;
}

export const NO_FILTERS: Filters = { status: undefined, agent: undefined, search: '' };

const AGENT = /^[A-Za-z0-9._-]{1,128}$/;
export const LONGEST_SEARCH = 200;

/** What an address asks for; what it cannot ask for is left out. */
export function readFilters(query: string): Filters {
  const asked = new URLSearchParams(query);
  const status = asked.get('status') ?? '';
  const agent = asked.get('agent') ?? '';
  return {
    status: Object.hasOwn(STATUS_WORDS, status) ? (status as ConversationStatus) : undefined,
    agent: AGENT.test(agent) ? agent : undefined,
    search: (asked.get('search') ?? '').trim().slice(0, LONGEST_SEARCH),
  };
}

export function addressOf({ status, agent, search }: Filters): string {
  const asked = new URLSearchParams();
  if (status) asked.set('status', status);
  if (agent) asked.set('agent', agent);
  if (search.trim()) asked.set('search', search.trim());
  return ['/conversations', String(asked)].filter(Boolean).join('?');
}
