import fc from 'fast-check';
import type { Question } from '#contract/question';
import { classifyUrgency, insertByUrgency, sortByUrgency, toQuestionKey } from '#presentation/question-list';
import { questionWithFields, START_TIME, testField } from '#test/support/core/conversation-fixture';
import {
  filterInboxQuestions,
  type InboxPageFilter,
  isInboxFiltered,
  parseInboxPageFilter,
} from '../../../../../web/pages/inbox/inbox-filter';
import { computeVisibleQuestions, findNeighbourQuestion } from '../../../../../web/pages/inbox/visible-questions';

const template = questionWithFields(testField());
const question = (conversationId: string, rest: Partial<Question> = {}): Question => ({
  ...template,
  conversationId,
  ...rest,
});
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => question(id)) as [Question, Question, Question, Question];
const ids = (questions: readonly Question[]) => questions.map(({ conversationId }) => conversationId).join('');

describe('the list', () => {
  it('shows what waits, in its order', () => {
    expect(ids(computeVisibleQuestions([a, b], [c, b, a], undefined))).toBe('cba');
    expect(ids(computeVisibleQuestions([], [a, b], toQuestionKey(a)))).toBe('ab');
  });

  it.each([
    ['between its neighbours', [a, b, c], [a, c], b, 'abc'],
    ['at the end', [a, b, c], [a, b], c, 'abc'],
    ['at the top', [a, b, c], [b, c], a, 'abc'],
    ['before the next that still waits', [a, b, c, d], [a, d], b, 'abd'],
    ['alone, when nothing waits any more', [a], [], a, 'a'],
    ['below what is new', [a, b], [c, b], a, 'cab'],
  ])('keeps the settled question one is at where it was: %s', (_where, shown, waiting, at, wanted) => {
    expect(ids(computeVisibleQuestions(shown, waiting, toQuestionKey(at)))).toBe(wanted);
  });

  it('lets go what does not fit the filter, settled or not', () => {
    const here = { search: '', agent: '', kind: 'questions' } as const;
    expect(ids(computeVisibleQuestions([a, b, c], [a, c], toQuestionKey(b), here))).toBe('abc');
    expect(ids(computeVisibleQuestions([a, b, c], [a, c], toQuestionKey(b), { ...here, search: 'nowhere' }))).toBe(
      'ac',
    );
  });

  it('lets it go when one is elsewhere', () => {
    expect(ids(computeVisibleQuestions([a, b, c], [a, c], toQuestionKey(c)))).toBe('ac');
  });

  it('shows each question that waits once, and at most one besides, whatever comes and goes', () => {
    const some = fc
      .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
      .map((list) => list.map((id) => question(id)));
    fc.assert(
      fc.property(some, some, fc.constantFrom('a', 'b', 'z'), (shown, waiting, at) => {
        const next = computeVisibleQuestions(shown, waiting, toQuestionKey(question(at)));
        const kept =
          shown.find(({ conversationId }) => conversationId === at) &&
          !waiting.some(({ conversationId }) => conversationId === at);
        expect(next.filter((one) => waiting.includes(one))).toEqual(waiting);
        expect(next).toHaveLength(waiting.length + (kept ? 1 : 0));
      }),
    );
  });

  it('leads on to the next, at its end to the one before, and then nowhere', () => {
    expect(findNeighbourQuestion([a, b, c], toQuestionKey(b))).toBe(c);
    expect(findNeighbourQuestion([a, b], toQuestionKey(b))).toBe(a);
    expect(findNeighbourQuestion([a], toQuestionKey(a))).toBeUndefined();
  });
});

describe('a filter', () => {
  const asked = question('c-offsite', {
    origin: ['captain', 'researcher'],
    context: 'Two nights.',
    fields: [testField({ header: 'Place', question: 'Where shall we GO?', options: [{ label: 'Seaside' }] })],
  });
  const finds = (search: string, agent = '', kind: InboxPageFilter['kind'] = '') =>
    filterInboxQuestions([asked], { search, agent, kind }).length === 1;

  it.each(['', '  ', 'where', 'go?', 'SEASIDE', 'offsite nights', 'place researcher'])('finds by %j', (search) => {
    expect(finds(search)).toBe(true);
  });

  it.each(['mountain', 'where mountain', '.*', '\\'])('does not find by %j', (search) => {
    expect(finds(search)).toBe(false);
  });

  it('tells what is to confirm from what is to answer, and reads both from the address', () => {
    expect([finds('', '', 'questions'), finds('', '', 'confirmations')]).toEqual([true, false]);
    const filter = parseInboxPageFilter(new URLSearchParams('search=go&agent=captain&kind=confirmations'));
    expect(filter).toEqual({ search: 'go', agent: 'captain', kind: 'confirmations' });
    const odd = parseInboxPageFilter(new URLSearchParams('kind=<b>'));
    expect([odd.kind, isInboxFiltered(odd), isInboxFiltered(filter)]).toEqual(['', false, true]);
  });

  it('takes an agent for itself and for those who work for it', () => {
    expect([finds('', 'captain'), finds('', 'researcher'), finds('', 'intake')]).toEqual([true, true, false]);
  });
});

describe('what is urgent', () => {
  const due = (id: string, minutes: number | null, askedAt = 0) =>
    question(id, {
      expiresAt: minutes === null ? null : new Date(START_TIME + minutes * 60_000).toISOString(),
      askedAt: new Date(START_TIME + askedAt * 60_000).toISOString(),
    });

  it('comes first: by deadline, then by how long it has waited', () => {
    const questions = [due('d', null, 5), due('c', null, 1), due('b', 90), due('a', 5), due('e', 90, 3)];
    expect(ids(sortByUrgency(questions))).toBe('abecd');
  });

  it('is put where it belongs when one comes', () => {
    const sorted = sortByUrgency([due('a', 5), due('b', 90), due('c', null)]);
    for (const one of [due('x', 1), due('x', 30), due('x', 200), due('x', null, 9)])
      expect(insertByUrgency(sorted, one)).toEqual(sortByUrgency([...sorted, one]));
    expect(ids(insertByUrgency([], due('x', 1)))).toBe('x');
  });

  it('is so within the hour, and late after', () => {
    const urgencies = [null, 90, 59, 0].map((minutes) => classifyUrgency(due('a', minutes), START_TIME));
    expect(urgencies).toEqual(['calm', 'calm', 'soon', 'late']);
  });
});
