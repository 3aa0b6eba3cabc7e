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
const question = (conversationId: string, overrides: Partial<Question> = {}): Question => ({
  ...template,
  conversationId,
  ...overrides,
});
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => question(id)) as [Question, Question, Question, Question];
const ids = (questions: readonly Question[]) => questions.map(({ conversationId }) => conversationId).join('');

describe('the list', () => {
  it('shows open questions in order', () => {
    expect(ids(computeVisibleQuestions([a, b], [c, b, a], undefined))).toBe('cba');
    expect(ids(computeVisibleQuestions([], [a, b], toQuestionKey(a)))).toBe('ab');
  });

  it.each([
    ['between its neighbours', [a, b, c], [a, c], b, 'abc'],
    ['at the end', [a, b, c], [a, b], c, 'abc'],
    ['at the top', [a, b, c], [b, c], a, 'abc'],
    ['before the next open one', [a, b, c, d], [a, d], b, 'abd'],
    ['alone, if no question is open', [a], [], a, 'a'],
    ['below new ones', [a, b], [c, b], a, 'cab'],
  ])('keeps the current question in place when it closes: %s', (_where, previous, pending, selected, expected) => {
    expect(ids(computeVisibleQuestions(previous, pending, toQuestionKey(selected)))).toBe(expected);
  });

  it('drops what does not match the filter, closed or not', () => {
    const filter = { search: '', agent: '', kind: 'questions' } as const;
    expect(ids(computeVisibleQuestions([a, b, c], [a, c], toQuestionKey(b), filter))).toBe('abc');
    expect(ids(computeVisibleQuestions([a, b, c], [a, c], toQuestionKey(b), { ...filter, search: 'nowhere' }))).toBe(
      'ac',
    );
  });

  it('drops a closed question once another is selected', () => {
    expect(ids(computeVisibleQuestions([a, b, c], [a, c], toQuestionKey(c)))).toBe('ac');
  });

  it('shows each open question once, and at most one other, in any order of events', () => {
    const questionLists = fc
      .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
      .map((list) => list.map((id) => question(id)));
    fc.assert(
      fc.property(questionLists, questionLists, fc.constantFrom('a', 'b', 'z'), (previous, pending, selectedId) => {
        const visible = computeVisibleQuestions(previous, pending, toQuestionKey(question(selectedId)));
        const isSelectedKept =
          previous.find(({ conversationId }) => conversationId === selectedId) &&
          !pending.some(({ conversationId }) => conversationId === selectedId);
        expect(visible.filter((shown) => pending.includes(shown))).toEqual(pending);
        expect(visible).toHaveLength(pending.length + (isSelectedKept ? 1 : 0));
      }),
    );
  });

  it('leads to the next question, at its end to the previous one, and then to none', () => {
    expect(findNeighbourQuestion([a, b, c], toQuestionKey(b))).toBe(c);
    expect(findNeighbourQuestion([a, b], toQuestionKey(b))).toBe(a);
    expect(findNeighbourQuestion([a], toQuestionKey(a))).toBeUndefined();
  });
});

describe('a filter', () => {
  const offsiteQuestion = question('c-offsite', {
    origin: ['captain', 'researcher'],
    context: 'Two nights.',
    fields: [testField({ header: 'Place', question: 'Where shall we GO?', options: [{ label: 'Seaside' }] })],
  });
  const matches = (search: string, agent = '', kind: InboxPageFilter['kind'] = '') =>
    filterInboxQuestions([offsiteQuestion], { search, agent, kind }).length === 1;

  it.each(['', '  ', 'where', 'go?', 'SEASIDE', 'offsite nights', 'place researcher'])('matches %j', (search) => {
    expect(matches(search)).toBe(true);
  });

  it.each(['mountain', 'where mountain', '.*', '\\'])('does not match %j', (search) => {
    expect(matches(search)).toBe(false);
  });

  it('separates approvals from questions, and is restored from the URL', () => {
    expect([matches('', '', 'questions'), matches('', '', 'confirmations')]).toEqual([true, false]);
    const filter = parseInboxPageFilter(new URLSearchParams('search=go&agent=captain&kind=confirmations'));
    expect(filter).toEqual({ search: 'go', agent: 'captain', kind: 'confirmations' });
    const unknownKind = parseInboxPageFilter(new URLSearchParams('kind=<b>'));
    expect([unknownKind.kind, isInboxFiltered(unknownKind), isInboxFiltered(filter)]).toEqual(['', false, true]);
  });

  it('matches an agent and its sub-agents', () => {
    expect([matches('', 'captain'), matches('', 'researcher'), matches('', 'intake')]).toEqual([true, true, false]);
  });
});

describe('the order by urgency', () => {
  const questionDue = (id: string, minutes: number | null, askedAt = 0) =>
    question(id, {
      expiresAt: minutes === null ? null : new Date(START_TIME + minutes * 60_000).toISOString(),
      askedAt: new Date(START_TIME + askedAt * 60_000).toISOString(),
    });

  it('is by deadline, then by age', () => {
    const questions = [
      questionDue('d', null, 5),
      questionDue('c', null, 1),
      questionDue('b', 90),
      questionDue('a', 5),
      questionDue('e', 90, 3),
    ];
    expect(ids(sortByUrgency(questions))).toBe('abecd');
  });

  it('holds when a question is added', () => {
    const sorted = sortByUrgency([questionDue('a', 5), questionDue('b', 90), questionDue('c', null)]);
    for (const added of [questionDue('x', 1), questionDue('x', 30), questionDue('x', 200), questionDue('x', null, 9)])
      expect(insertByUrgency(sorted, added)).toEqual(sortByUrgency([...sorted, added]));
    expect(ids(insertByUrgency([], questionDue('x', 1)))).toBe('x');
  });

  it('marks the last hour as urgent, and what is overdue', () => {
    const urgencies = [null, 90, 59, 0].map((minutes) => classifyUrgency(questionDue('a', minutes), START_TIME));
    expect(urgencies).toEqual(['calm', 'calm', 'soon', 'late']);
  });
});
