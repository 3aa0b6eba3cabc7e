import type { Conversation } from '#contract/conversation';
import type { Timeline } from '#contract/entry';
import type { Export } from '#contract/export';
import type { ConversationFilter, ConversationPage, Counting, Paging, StartInput } from './input';
import { type ReadOptions, read, type WriteOptions, write } from './request';
import type { Settings } from './settings';

const LARGEST_PAGE = 100;

export function conversations(settings: Settings) {
  return { ...reading(settings), ...writing(settings) };
}

function reading(settings: Settings) {
  const list = ({ signal, ...query }: ConversationFilter & Paging & Counting = {}) =>
    read<ConversationPage>(settings, ['conversations'], { ...query }, signal);

  return {
    list,

    /** Every conversation, page after page. */
    async *all(filter: ConversationFilter = {}): AsyncGenerator<Conversation, void> {
      let cursor: string | undefined;
      do {
        const page = await list({ ...filter, limit: LARGEST_PAGE, cursor });
        yield* page.items;
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    },

    get: (id: string, { signal }: ReadOptions = {}) =>
      read<Conversation>(settings, ['conversations', id], {}, signal),

    /** What a person would read, in order; with `after`, what is new since that entry. */
    timeline: (id: string, { signal, ...query }: ReadOptions & { after?: number } = {}) =>
      read<Timeline>(settings, ['conversations', id, 'timeline'], { ...query }, signal),

    /** The whole conversation as one document. */
    export: (id: string, { signal }: ReadOptions = {}) =>
      read<Export>(settings, ['conversations', id, 'export'], {}, signal),
  };
}

function writing(settings: Settings) {
  return {
    start: (input: StartInput, options?: WriteOptions) =>
      write<Conversation>(settings, ['conversations'], input, options),

    /** A further message; it takes a finished conversation up again. */
    say: (id: string, text: string, options?: WriteOptions) =>
      write<Conversation>(settings, ['conversations', id, 'messages'], { text }, options),

    cancel: (id: string, reason?: string, options?: WriteOptions) =>
      write<Conversation>(settings, ['conversations', id, 'cancel'], { reason }, options),
  };
}
