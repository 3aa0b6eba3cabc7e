import type { Conversation } from '#contract/conversation';
import { gistOf, plainLine } from '#core/gist';
import { addressOf, NO_FILTERS, readFilters } from '../../../web/conversations/filters';
import { goesOn, itemsOf } from '../../../web/conversations/paging';

describe('filters in the address', () => {
  it('come back as they were written', () => {
    const filters = { status: 'waiting_for_input', agent: 'deploy-captain', search: 'a & b?' } as const;
    const [, query = ''] = addressOf(filters).split('?');
    expect(readFilters(query)).toEqual(filters);
  });

  it('leave the address bare where there are none', () => {
    expect(addressOf(NO_FILTERS)).toBe('/conversations');
    expect(readFilters('')).toEqual(NO_FILTERS);
  });

  it.each(['status=sleeping', 'status=toString', "agent=a' OR '1", 'search=%20%20', 'what=ever'])(
    'leave out what cannot be asked for: %s',
    (query) => {
      expect(readFilters(query)).toEqual(NO_FILTERS);
    },
  );
});

describe('the gist of a conversation', () => {
  const quiet = { status: 'failed', question: null, error: null, result: null } as const;

  it('is what it asks, while it asks', () => {
    const question = { fields: [{ question: 'Where\nto?' }, { question: 'When?' }] };
    const asking = { ...quiet, question: question as Conversation['question'] };
    expect(gistOf(asking)).toEqual({ about: 'question', text: 'Where to? (and 1 more)' });
  });

  it('is why it ended, before what was said until then', () => {
    const failed = { ...quiet, error: { code: 'x', message: 'Nobody answered.' }, result: 'Hello' };
    expect(gistOf(failed)).toEqual({ about: 'failure', text: 'Nobody answered.' });
    expect(gistOf({ ...failed, status: 'cancelled' })?.about).toBe('cancel');
  });

  it('is nothing while there is nothing to say', () => {
    expect(gistOf(quiet)).toBeUndefined();
    expect(gistOf({ ...quiet, result: ' \n ' })).toBeUndefined();
  });

  it('has the words of Markdown without the marks and without its headings', () => {
    const result = '## The plan\n\n**Done:** see [the list](https://a.example/b)\n\n- `one`\n1. two_words';
    expect(plainLine(result)).toBe('Done: see the list one two_words');
  });

  it('keeps a heading where there is nothing else', () => {
    expect(plainLine('# Done')).toBe('Done');
  });
});

describe('pages of a search', () => {
  const empty = { items: [], nextCursor: 'next' };
  const full = { items: [{ id: 'a' }], nextCursor: 'next' };
  const times = <T>(count: number, page: T): T[] => Array.from({ length: count }, () => page);

  it('go on by themselves over pages that hold nothing, five at a time', () => {
    expect(goesOn(times(1, empty))).toBe(true);
    expect(goesOn(times(4, empty))).toBe(true);
    expect(goesOn(times(5, empty))).toBe(false);
    expect(goesOn(times(6, empty))).toBe(true);
    expect(goesOn([full, ...times(2, empty)])).toBe(true);
  });

  it('stop where something was found, and at the end', () => {
    expect(goesOn([])).toBe(false);
    expect(goesOn([empty, full])).toBe(false);
    expect(goesOn([{ ...empty, nextCursor: null }])).toBe(false);
  });

  it('show a conversation once, though it may be on two of them', () => {
    const pages = [full, { items: [{ id: 'b' }, { id: 'a' }], nextCursor: null }];
    expect(itemsOf(pages).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
