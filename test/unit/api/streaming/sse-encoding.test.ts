import fc from 'fast-check';
import { cursorAt, EventBuffer } from '#api/streaming/event-buffer';
import { toSseFrames, toStreamEvents } from '#api/streaming/sse-encoding';
import { ConversationEvent } from '#contract/events';
import { addTimelineEntry } from '#core/conversation/state';
import { selectChanges } from '#core/projections';
import { applyAnswer } from '#core/questions/resolve';
import { ConversationDriver, conversationEvents as happenings } from '#test/support/core/conversation-driver';
import {
  askingConversation,
  cloneState,
  modelSays,
  START_TIME,
  startedConversation,
  toolUse,
} from '#test/support/core/conversation-fixture';

describe('the numbered events of a conversation', () => {
  it('are its entries, and a question both when asked and when settled', () => {
    const state = askingConversation();
    const pending = cloneState(state).question;
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    modelSays(state, toolUse('call-2', 'write_todos', { todos: [{ content: 'Paint', status: 'pending' }] }));
    modelSays(state, 'Done.');
    const told = toStreamEvents(state.entries);
    expect(told.map(({ number, event }) => `${number} ${event?.event}`)).toEqual([
      '1 message',
      '2 question_pending',
      '3 status',
      '4 question_answered',
      '5 status',
      '6 todos',
      '7 message',
      '8 status',
    ]);
    expect(told[1]?.event?.data).toEqual(pending);
    expect(told[3]?.event?.data).toEqual(state.settled);
  });

  it('are one block of lines each, with the data on one of them', () => {
    const state = startedConversation({ message: 'one\ntwo\r\nthree\u2028four' });
    const [frame] = toSseFrames(state.entries);
    expect(frame?.text).toMatch(/^id: 1\nevent: message\ndata: [^\r\n]+\n\n$/);
  });

  it('leave out notices, whose numbers count all the same', () => {
    const state = startedConversation();
    addTimelineEntry(state, { kind: 'notice', channel: 'slack', what: 'reminded' }, START_TIME);
    expect(toSseFrames(state.entries).map(({ number, text }) => [number, text === null])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('are without a gap whatever happens, and as the contract has them', () => {
    fc.assert(
      fc.property(happenings, (all) => {
        const driver = new ConversationDriver();
        for (const event of all) driver.happen(event);
        const told = toStreamEvents(driver.state.entries);
        expect(told.map(({ number }) => number)).toEqual(
          Array.from({ length: driver.state.lastEntry }, (_, index) => index + 1),
        );
        for (const { event } of told) if (event) ConversationEvent.parse(event);
      }),
    );
  });
});

describe('the window on a conversation', () => {
  const links = { self: '', events: '', web: '', temporal: '' };
  const drain = (window: EventBuffer, place: ReturnType<typeof cursorAt>) => {
    const sent: string[] = [];
    for (let next = window.next(place); typeof next === 'string'; next = window.next(place)) sent.push(next);
    return sent.map((text) => /^(?:id: (\d+)\n)?event: (\w+)/.exec(text)?.slice(1).join(' '));
  };

  it('shows every viewer the same, wherever it came in and whenever it looks', () => {
    const looks = fc.array(fc.nat(3), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(happenings, looks, fc.array(fc.nat(40), { maxLength: 4 }), (all, when, starts) => {
        const driver = new ConversationDriver();
        const window = new EventBuffer();
        const places = [cursorAt(0, 0), ...starts.map((at) => cursorAt(at, 0))];
        const sent = places.map((): (string | undefined)[] => []);
        let reads = 1;
        const read = () => {
          const missing = places.flatMap((place) => window.missing(place) ?? []);
          const after = Math.min(...missing, window.isReady ? window.last : Number.MAX_SAFE_INTEGER);
          window.take(selectChanges(cloneState(driver.state), after), after, ++reads);
        };
        const look = (index: number) => {
          const place = places[index];
          if (place) sent[index]?.push(...drain(window, place));
          window.trim(places);
        };
        all.forEach((event, step) => {
          driver.happen(event);
          if (when[step] !== 0) read();
          look((when[step] ?? 0) % places.length);
        });
        for (let round = 0; round < 2; round += 1) {
          read();
          for (const index of places.keys()) look(index);
        }
        const whole = sent[0];
        places.slice(1).forEach((_, index) => {
          const mine = sent[index + 1] ?? [];
          const first = Number(mine[0]?.split(' ')[0] ?? Number.NaN);
          const isSnapshot = mine[0]?.endsWith('snapshot');
          const start = isSnapshot ? first : (starts[index] ?? 0);
          const expected = whole?.filter((told) => Number(told?.split(' ')[0]) > start);
          expect(isSnapshot ? mine.slice(1) : mine).toEqual(expected);
        });
      }),
    );
  });

  it('begins again with a snapshot where entries were dropped', () => {
    const state = startedConversation();
    for (let n = 2; n <= 9; n += 1)
      addTimelineEntry(state, { kind: 'message', role: 'user', text: `${n}` }, START_TIME);
    const kept = { ...state, entries: state.entries.filter(({ id }) => id > 5), truncated: true };
    for (const [at, expected] of [
      [2, ['9 snapshot']],
      [4, ['9 snapshot']],
      [5, ['6 message', '7 message', '8 message', '9 message']],
      [9, []],
      [10, ['9 snapshot']],
    ] as const) {
      const window = new EventBuffer();
      window.take(
        { ...selectChanges(kept, at), conversation: { ...selectChanges(kept, at).conversation, links } },
        at,
        1,
      );
      expect(drain(window, cursorAt(at, 0))).toEqual(expected);
    }
  });

  it('keeps only what the slowest of its viewers needs', () => {
    const state = startedConversation();
    for (let n = 2; n <= 9; n += 1)
      addTimelineEntry(state, { kind: 'message', role: 'user', text: `${n}` }, START_TIME);
    const window = new EventBuffer();
    window.take(selectChanges(state, 0), 0, 1);
    window.trim([cursorAt(9, 0), cursorAt(6, 0), cursorAt(undefined, 0)]);
    expect([5, 6, 9].map((at) => window.missing(cursorAt(at, 0)))).toEqual([5, undefined, undefined]);
    expect(window.last).toBe(9);
  });

  it('takes a number that nobody gave out for unknown only by a later read', () => {
    const window = new EventBuffer();
    window.take(selectChanges(startedConversation(), 0), 0, 1);
    const early = cursorAt(3, 1);
    expect([window.next(early), window.missing(early)]).toEqual([undefined, 1]);
    window.take(selectChanges(startedConversation(), 1), 1, 2);
    expect(drain(window, early)).toEqual(['1 snapshot']);
  });

  it('shows text being written only to who has all before it, newest only, and never after it was dropped', () => {
    const window = new EventBuffer();
    window.take(selectChanges(startedConversation(), 0), 0, 1);
    const place = cursorAt(0, 0);
    window.write('a');
    window.write('a b');
    expect(drain(window, place)).toEqual(['1 message', ' delta']);
    window.write('a b');
    expect(drain(window, place)).toEqual([]);
    window.write('');
    expect(drain(window, place)).toEqual([' delta']);
    window.write('a b c');
    window.stopWriting();
    expect(drain(window, place)).toEqual([]);
  });
});
