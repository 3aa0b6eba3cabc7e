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
  const idle = { status: 'failed', question: null, error: null, result: null } as const;

  it('is what it asks, while it asks', () => {
    const question = { fields: [{ question: 'Where\nto?' }, { question: 'When?' }] };
    const asking = { ...idle, question: question as Conversation['question'] };
    expect(summarizeConversation(asking)).toEqual({ kind: 'question', text: 'Where to? (and 1 more)' });
  });

  it('is why it ended, before what was said until then', () => {
    const failed = { ...idle, error: { code: 'x', message: 'Nobody answered.' }, result: 'Hello' };
    expect(summarizeConversation(failed)).toEqual({ kind: 'failure', text: 'Nobody answered.' });
    expect(summarizeConversation({ ...failed, status: 'cancelled' })?.kind).toBe('cancel');
  });

  it('is nothing while there is nothing to say', () => {
    expect(summarizeConversation(idle)).toBeUndefined();
    expect(summarizeConversation({ ...idle, result: ' \n ' })).toBeUndefined();
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
  const emptyPage = { items: [], nextCursor: 'next' };
  const nonEmptyPage = { items: [{ id: 'a' }], nextCursor: 'next' };
  const repeat = <T>(count: number, page: T): T[] => Array.from({ length: count }, () => page);

  it('go on by themselves over pages that hold nothing, five at a time', () => {
    expect(shouldSearchFurther(repeat(1, emptyPage))).toBe(true);
    expect(shouldSearchFurther(repeat(4, emptyPage))).toBe(true);
    expect(shouldSearchFurther(repeat(5, emptyPage))).toBe(false);
    expect(shouldSearchFurther(repeat(6, emptyPage))).toBe(true);
    expect(shouldSearchFurther([nonEmptyPage, ...repeat(2, emptyPage)])).toBe(true);
  });

  it('stop where something was found, and at the end', () => {
    expect(shouldSearchFurther([])).toBe(false);
    expect(shouldSearchFurther([emptyPage, nonEmptyPage])).toBe(false);
    expect(shouldSearchFurther([{ ...emptyPage, nextCursor: null }])).toBe(false);
  });

  it('show a conversation once, though it may be on two of them', () => {
    const pages = [nonEmptyPage, { items: [{ id: 'b' }, { id: 'a' }], nextCursor: null }];
    expect(mergeSearchPages(pages).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
