import fc from 'fast-check';
import { handleInboxKey } from '#cli/inbox/interactive';
import { renderInbox } from '#cli/inbox/render';
import {
  applyInboxEvent,
  EMPTY_INBOX,
  hideAnsweredQuestion,
  type InboxState,
  listVisibleQuestions,
  selectedQuestion,
  setInboxFilter,
} from '#cli/inbox/state';
import { createTextStyle } from '#cli/render/colors';
import { displayWidth } from '#cli/render/text';
import { toKeyPress as keyFrom } from '#cli/tty/keyboard';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { toQuestionKey } from '#presentation/question-list';

const NOW = Date.parse('2026-11-17T12:00:00Z');

function question(conversationId: string, text = `What of ${conversationId}?`, minutes?: number): Question {
  return {
    id: 'q-1',
    conversationId,
    agent: 'assistant',
    origin: ['assistant'],
    status: 'pending',
    context: null,
    fields: [{ key: 'q1', header: 'H', question: text, multiSelect: false, allowOther: false, required: true }],
    askedAt: '2026-11-17T11:00:00Z',
    expiresAt: minutes === undefined ? null : new Date(NOW + minutes * 60_000).toISOString(),
    onTimeout: 'continue',
    notices: [],
    outcome: null,
  };
}

const snapshot = (...items: Question[]): InboxEvent => ({ event: 'snapshot', data: { items } });
const pendingEvent = (data: Question): InboxEvent => ({ event: 'question_pending', data });
const resolvedEvent = (data: Question): InboxEvent => ({
  event: 'question_answered',
  data: { ...data, status: 'answered' },
});
const selectedId = (state: InboxState) => selectedQuestion(state)?.conversationId;
const key = (name: string) => keyFrom(name.length === 1 ? name : undefined, { name });
const press = (state: InboxState, ...names: string[]) =>
  names.reduce((current, name) => {
    const result = handleInboxKey(current, key(name));
    return typeof result === 'string' ? current : result;
  }, state);
const viewport = { width: 80, height: 24, style: createTextStyle(false), now: NOW };

describe('the inbox in the terminal', () => {
  const three = applyInboxEvent(
    EMPTY_INBOX,
    snapshot(question('a', 'Paint?', 30), question('b', 'Rent?', 10), question('c')),
  );

  it('starts at the most urgent question', () => {
    expect(listVisibleQuestions(three).map(({ conversationId }) => conversationId)).toEqual(['b', 'a', 'c']);
    expect(selectedId(three)).toBe('b');
  });

  it('stays at a question when a more urgent one arrives', () => {
    const moved = press(three, 'down');
    expect(selectedId(applyInboxEvent(moved, pendingEvent(question('d', 'Now?', 1))))).toBe('a');
  });

  it('moves to the question that replaces a closed one, and back from the end', () => {
    const moved = press(three, 'down');
    expect(selectedId(applyInboxEvent(moved, resolvedEvent(question('a'))))).toBe('c');
    expect(selectedId(applyInboxEvent(press(three, 'end'), resolvedEvent(question('c'))))).toBe('a');
    expect(selectedId(applyInboxEvent(three, resolvedEvent(question('c'))))).toBe('b');
  });

  it('does not show again what was sent and is not processed yet', () => {
    const hidden = hideAnsweredQuestion(three, question('b'));
    expect(selectedId(hidden)).toBe('a');
    expect(listVisibleQuestions(applyInboxEvent(hidden, snapshot(question('b'), question('a'))))).toHaveLength(1);
  });

  it.each([
    [['down', 'down'], 'c'],
    [['down', 'down', 'down'], 'b'],
    [['up'], 'c'],
    [['j', 'j', 'k'], 'a'],
    [['3'], 'c'],
    [['9'], 'b'],
    [['end', 'home'], 'b'],
    [['pagedown', 'pageup'], 'b'],
  ])('moves on %j', (names, expected) => {
    expect(selectedId(press(three, ...names))).toBe(expected);
  });

  it('filters by what is typed, ignoring case and accents', () => {
    const typed = press(applyInboxEvent(three, pendingEvent(question('é', 'Café?'))), 'c', 'a', 'f', 'e');
    expect(listVisibleQuestions(typed).map(({ conversationId }) => conversationId)).toEqual(['é']);
    expect(listVisibleQuestions(press(typed, 'escape'))).toHaveLength(4);
    expect(typed.filter).toBe('cafe');
    expect(press(typed, 'backspace', 'backspace', 'backspace', 'backspace').filter).toBeUndefined();
  });

  it('takes j, k, q and digits as text after a slash', () => {
    expect(press(three, '/', 'j', 'k', 'q', '1').filter).toBe('jkq1');
  });

  it.each(['escape', 'q'])('quits on %s, and on Ctrl-C', (name) => {
    expect(handleInboxKey(three, key(name))).toBe('leave');
    expect(handleInboxKey(setInboxFilter(three, 'x'), { ...key('c'), ctrl: true })).toBe('leave');
  });

  it('opens nothing if it is empty', () => {
    expect(handleInboxKey(three, key('return'))).toBe('open');
    expect(handleInboxKey(setInboxFilter(three, 'zebra'), key('return'))).not.toBe('open');
    expect(handleInboxKey(EMPTY_INBOX, key('return'))).toBe(EMPTY_INBOX);
  });

  it('shows how many are open, what is due, and the keys', () => {
    const screen = renderInbox(three, viewport, undefined).join('\n');
    expect(screen).toContain('3 open questions');
    expect(screen).toMatch(/❯ 1 Rent\?\n {4}due in 10 min · assistant · asked 60 min ago/);
    expect(screen).toContain('↑↓ move · Enter answer');
    expect(renderInbox(applyInboxEvent(EMPTY_INBOX, snapshot()), viewport, undefined).join('\n')).toContain(
      'No open questions',
    );
  });

  it('fits every screen, for any question and position', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('日本語の質問', '\u001b[31mred', '👨‍👩‍👧'.repeat(9)),
    );
    const sizes = fc.record({
      width: fc.integer({ min: 20, max: 140 }),
      height: fc.integer({ min: 8, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 40 }), sizes, fc.nat(50), (all, size, downPresses) => {
        const questions = all.map((text, index) => question(`c${index}`, text, index));
        const state = press(applyInboxEvent(EMPTY_INBOX, snapshot(...questions)), ...Array(downPresses).fill('down'));
        const lines = renderInbox(state, { ...viewport, ...size }, 'Something was settled elsewhere');
        expect(lines.length).toBeLessThan(size.height);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(size.width);
        const text = lines.join('\n').replaceAll('\u001b[7m \u001b[27m', '');
        expect(text).not.toMatch(/[^\n\P{Cc}]/u);
        if (questions.length > 0) expect(text).toContain('❯');
      }),
      { numRuns: 200 },
    );
  });

  it('always has a selection unless it is empty, whatever happens', () => {
    const ids = fc.constantFrom('a', 'b', 'c', 'd');
    const events = fc.oneof(
      ids.map((id) => pendingEvent(question(id))),
      ids.map((id) => resolvedEvent(question(id))),
      fc
        .array(ids, { maxLength: 3 })
        .map((questionIds) => snapshot(...[...new Set(questionIds)].map((id) => question(id)))),
      fc.constantFrom('up', 'down', 'end', 'a', 'escape'),
    );
    fc.assert(
      fc.property(fc.array(events), (all) => {
        let state = EMPTY_INBOX;
        for (const event of all)
          state = typeof event === 'string' ? press(state, event) : applyInboxEvent(state, event);
        const shown = listVisibleQuestions(state);
        expect(shown.map(toQuestionKey)).toEqual([...new Set(shown.map(toQuestionKey))]);
        expect(Boolean(selectedQuestion(state))).toBe(shown.length > 0);
      }),
    );
  });
});
