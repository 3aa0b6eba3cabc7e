// until six-server is merged: then the client's own `parley.list` knows `search` and `counts`, and this file goes.
import type { ConversationFilter, Page, Paging } from '../../src/client/input';
import type { Conversation, ConversationStatus } from '../../src/contract/conversation';
import { parley } from '../parley';

export type Counts = Record<ConversationStatus, number>;

export interface Listing extends Page<Conversation> {
  counts?: Counts;
}

export const list: (
  asked: ConversationFilter & Paging & { search?: string; counts?: boolean },
) => Promise<Listing> = parley.list;
