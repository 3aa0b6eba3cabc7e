import type { Conversation } from '#contract/conversation';
import { markdownToLine, summarizeConversation } from '#presentation/labels';
import {
  formatConversationsPath,
  mergeSearchPages,
  NO_CONVERSATION_FILTERS,
  parseConversationFilters,
  shouldSearchFurther,
} from '../../../../../web/pages/conversations/conversation-search';

describe('filters in the URL', () => {
  it('are restored as they were set', () => {
    const filters = { status: 'waiting_for_input', agent: 'deploy-captain', search: 'a & b?' } as const;
    const [, query = ''] = formatConversationsPath(filters).split('?');
    expect(parseConversationFilters(query)).toEqual(filters);
  });

  it('leave the URL without parameters by default', () => {
    expect(formatConversationsPath(NO_CONVERSATION_FILTERS)).toBe('/conversations');
    expect(parseConversationFilters('')).toEqual(NO_CONVERSATION_FILTERS);
  });

  it.each(['status=sleeping', 'status=toString', "agent=a' OR '1", 'search=%20%20', 'what=ever'])(
    'ignore invalid values: %s',
    (query) => {
      expect(parseConversationFilters(query)).toEqual(NO_CONVERSATION_FILTERS);
    },
  );
});

describe('the summary of a conversation', () => {
  const idle = { status: 'failed', question: null, error: null, result: null } as const;

  it('is its question, while one is open', () => {
    const question = { fields: [{ question: 'Where\nto?' }, { question: 'When?' }] };
    const asking = { ...idle, question: question as Conversation['question'] };
    expect(summarizeConversation(asking)).toEqual({ kind: 'question', text: 'Where to? (and 1 more)' });
  });

  it('is the reason for its end, rather than what was said before', () => {
    const failed = { ...idle, error: { code: 'x', message: 'Nobody answered.' }, result: 'Hello' };
    expect(summarizeConversation(failed)).toEqual({ kind: 'failure', text: 'Nobody answered.' });
    expect(summarizeConversation({ ...failed, status: 'cancelled' })?.kind).toBe('cancel');
  });

  it('is empty if there is nothing to show', () => {
    expect(summarizeConversation(idle)).toBeUndefined();
    expect(summarizeConversation({ ...idle, result: ' \n ' })).toBeUndefined();
  });

  it('is the text of Markdown without its markup and headings', () => {
    const result = '## The plan\n\n**Done:** see [the list](https://a.example/b)\n\n- `one`\n1. two_words';
    expect(markdownToLine(result)).toBe('Done: see the list one two_words');
  });

  it('keeps a heading if there is nothing else', () => {
    expect(markdownToLine('# Done')).toBe('Done');
  });
});

describe('pages of a search', () => {
  const emptyPage = { items: [], nextCursor: 'next' };
  const nonEmptyPage = { items: [{ id: 'a' }], nextCursor: 'next' };
  const repeat = <T>(count: number, page: T): T[] => Array.from({ length: count }, () => page);

  it('continue by themselves over empty pages, five at a time', () => {
    expect(shouldSearchFurther(repeat(1, emptyPage))).toBe(true);
    expect(shouldSearchFurther(repeat(4, emptyPage))).toBe(true);
    expect(shouldSearchFurther(repeat(5, emptyPage))).toBe(false);
    expect(shouldSearchFurther(repeat(6, emptyPage))).toBe(true);
    expect(shouldSearchFurther([nonEmptyPage, ...repeat(2, emptyPage)])).toBe(true);
  });

  it('stop at a match, and at the end', () => {
    expect(shouldSearchFurther([])).toBe(false);
    expect(shouldSearchFurther([emptyPage, nonEmptyPage])).toBe(false);
    expect(shouldSearchFurther([{ ...emptyPage, nextCursor: null }])).toBe(false);
  });

  it('show a conversation once, even if it is on two pages', () => {
    const pages = [nonEmptyPage, { items: [{ id: 'b' }, { id: 'a' }], nextCursor: null }];
    expect(mergeSearchPages(pages).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
