import type { Conversation } from '#contract/conversation';
import { markdownToLine, summarizeConversation } from '#presentation/labels';
import {
  formatConversationsPath,
  mergeSearchPages,
  NO_CONVERSATION_FILTERS,
  parseConversationFilters,
  shouldSearchFurther,
} from '../../../../../web/pages/conversations/conversation-search';

describe('filters in the address', () => {
  it('come back as they were written', () => {
    const filters = { status: 'waiting_for_input', agent: 'deploy-captain', search: 'a & b?' } as const;
    const [, query = ''] = formatConversationsPath(filters).split('?');
    expect(parseConversationFilters(query)).toEqual(filters);
  });

  it('leave the address bare where there are none', () => {
    expect(formatConversationsPath(NO_CONVERSATION_FILTERS)).toBe('/conversations');
    expect(parseConversationFilters('')).toEqual(NO_CONVERSATION_FILTERS);
  });

  it.each(['status=sleeping', 'status=toString', "agent=a' OR '1", 'search=%20%20', 'what=ever'])(
    'leave out what cannot be asked for: %s',
    (query) => {
      expect(parseConversationFilters(query)).toEqual(NO_CONVERSATION_FILTERS);
    },
  );
});

describe('the gist of a conversation', () => {
  const quiet = { status: 'failed', question: null, error: null, result: null } as const;

  it('is what it asks, while it asks', () => {
    const question = { fields: [{ question: 'Where\nto?' }, { question: 'When?' }] };
    const asking = { ...quiet, question: question as Conversation['question'] };
    expect(summarizeConversation(asking)).toEqual({ about: 'question', text: 'Where to? (and 1 more)' });
  });

  it('is why it ended, before what was said until then', () => {
    const failed = { ...quiet, error: { code: 'x', message: 'Nobody answered.' }, result: 'Hello' };
    expect(summarizeConversation(failed)).toEqual({ about: 'failure', text: 'Nobody answered.' });
    expect(summarizeConversation({ ...failed, status: 'cancelled' })?.about).toBe('cancel');
  });

  it('is nothing while there is nothing to say', () => {
    expect(summarizeConversation(quiet)).toBeUndefined();
    expect(summarizeConversation({ ...quiet, result: ' \n ' })).toBeUndefined();
  });

  it('has the words of Markdown without the marks and without its headings', () => {
    const result = '## The plan\n\n**Done:** see [the list](https://a.example/b)\n\n- `one`\n1. two_words';
    expect(markdownToLine(result)).toBe('Done: see the list one two_words');
  });

  it('keeps a heading where there is nothing else', () => {
    expect(markdownToLine('# Done')).toBe('Done');
  });
});

describe('pages of a search', () => {
  const empty = { items: [], nextCursor: 'next' };
  const full = { items: [{ id: 'a' }], nextCursor: 'next' };
  const times = <T>(count: number, page: T): T[] => Array.from({ length: count }, () => page);

  it('go on by themselves over pages that hold nothing, five at a time', () => {
    expect(shouldSearchFurther(times(1, empty))).toBe(true);
    expect(shouldSearchFurther(times(4, empty))).toBe(true);
    expect(shouldSearchFurther(times(5, empty))).toBe(false);
    expect(shouldSearchFurther(times(6, empty))).toBe(true);
    expect(shouldSearchFurther([full, ...times(2, empty)])).toBe(true);
  });

  it('stop where something was found, and at the end', () => {
    expect(shouldSearchFurther([])).toBe(false);
    expect(shouldSearchFurther([empty, full])).toBe(false);
    expect(shouldSearchFurther([{ ...empty, nextCursor: null }])).toBe(false);
  });

  it('show a conversation once, though it may be on two of them', () => {
    const pages = [full, { items: [{ id: 'b' }, { id: 'a' }], nextCursor: null }];
    expect(mergeSearchPages(pages).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
