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
  it('are its entries, and a question both when asked and when closed', () => {
    const state = askingConversation();
    const pending = cloneState(state).question;
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    modelSays(state, toolUse('call-2', 'write_todos', { todos: [{ content: 'Paint', status: 'pending' }] }));
    modelSays(state, 'Done.');
    const events = toStreamEvents(state.entries);
    expect(events.map(({ number, event }) => `${number} ${event?.event}`)).toEqual([
      '1 message',
      '2 question_pending',
      '3 status',
      '4 question_answered',
      '5 status',
      '6 todos',
      '7 message',
      '8 status',
    ]);
    expect(events[1]?.event?.data).toEqual(pending);
    expect(events[3]?.event?.data).toEqual(state.settledQuestion);
  });

  it('are one block of lines each, with the data on one line', () => {
    const state = startedConversation({ message: 'one\ntwo\r\nthree\u2028four' });
    const [frame] = toSseFrames(state.entries);
    expect(frame?.text).toMatch(/^id: 1\nevent: message\ndata: [^\r\n]+\n\n$/);
  });

  it('omit notices, which still use a number', () => {
    const state = startedConversation();
    addTimelineEntry(state, { kind: 'notice', channel: 'slack', what: 'reminded' }, START_TIME);
    expect(toSseFrames(state.entries).map(({ number, text }) => [number, text === null])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('have no gaps in any order of events, and match the contract', () => {
    fc.assert(
      fc.property(happenings, (script) => {
        const driver = new ConversationDriver();
        for (const event of script) driver.apply(event);
        const events = toStreamEvents(driver.state.entries);
        expect(events.map(({ number }) => number)).toEqual(
          Array.from({ length: driver.state.lastEntryId }, (_, index) => index + 1),
        );
        for (const { event } of events) if (event) ConversationEvent.parse(event);
      }),
    );
  });
});

describe('the event buffer of a conversation', () => {
  const links = { self: '', events: '', web: '', temporal: '' };
  const drain = (buffer: EventBuffer, cursor: ReturnType<typeof cursorAt>) => {
    const sent: string[] = [];
    for (let next = buffer.next(cursor); typeof next === 'string'; next = buffer.next(cursor)) sent.push(next);
    return sent.map((text) => /^(?:id: (\d+)\n)?event: (\w+)/.exec(text)?.slice(1).join(' '));
  };

  it('shows every viewer the same, wherever they start and whenever they read', () => {
    const schedules = fc.array(fc.nat(3), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(happenings, schedules, fc.array(fc.nat(40), { maxLength: 4 }), (script, schedule, starts) => {
        const driver = new ConversationDriver();
        const buffer = new EventBuffer();
        const cursors = [cursorAt(0, 0), ...starts.map((position) => cursorAt(position, 0))];
        const sent = cursors.map((): (string | undefined)[] => []);
        let reads = 1;
        const read = () => {
          const missing = cursors.flatMap((cursor) => buffer.missingAfter(cursor) ?? []);
          const after = Math.min(...missing, buffer.isReady ? buffer.last : Number.MAX_SAFE_INTEGER);
          buffer.applyChanges(selectChanges(cloneState(driver.state), after), after, ++reads);
        };
        const drainOne = (index: number) => {
          const cursor = cursors[index];
          if (cursor) sent[index]?.push(...drain(buffer, cursor));
          buffer.trim(cursors);
        };
        script.forEach((event, step) => {
          driver.apply(event);
          if (schedule[step] !== 0) read();
          drainOne((schedule[step] ?? 0) % cursors.length);
        });
        for (let round = 0; round < 2; round += 1) {
          read();
          for (const index of cursors.keys()) drainOne(index);
        }
        const allEvents = sent[0];
        cursors.slice(1).forEach((_, index) => {
          const received = sent[index + 1] ?? [];
          const first = Number(received[0]?.split(' ')[0] ?? Number.NaN);
          const isSnapshot = received[0]?.endsWith('snapshot');
          const start = isSnapshot ? first : (starts[index] ?? 0);
          const expected = allEvents?.filter((events) => Number(events?.split(' ')[0]) > start);
          expect(isSnapshot ? received.slice(1) : received).toEqual(expected);
        });
      }),
    );
  });

  it('starts with a snapshot again if entries were dropped', () => {
    const state = startedConversation();
    for (let n = 2; n <= 9; n += 1)
      addTimelineEntry(state, { kind: 'message', role: 'user', text: `${n}` }, START_TIME);
    const trimmed = { ...state, entries: state.entries.filter(({ id }) => id > 5), truncated: true };
    for (const [position, expected] of [
      [2, ['9 snapshot']],
      [4, ['9 snapshot']],
      [5, ['6 message', '7 message', '8 message', '9 message']],
      [9, []],
      [10, ['9 snapshot']],
    ] as const) {
      const buffer = new EventBuffer();
      buffer.applyChanges(
        {
          ...selectChanges(trimmed, position),
          conversation: { ...selectChanges(trimmed, position).conversation, links },
        },
        position,
        1,
      );
      expect(drain(buffer, cursorAt(position, 0))).toEqual(expected);
    }
  });

  it('keeps only what its slowest viewer needs', () => {
    const state = startedConversation();
    for (let n = 2; n <= 9; n += 1)
      addTimelineEntry(state, { kind: 'message', role: 'user', text: `${n}` }, START_TIME);
    const buffer = new EventBuffer();
    buffer.applyChanges(selectChanges(state, 0), 0, 1);
    buffer.trim([cursorAt(9, 0), cursorAt(6, 0), cursorAt(undefined, 0)]);
    expect([5, 6, 9].map((position) => buffer.missingAfter(cursorAt(position, 0)))).toEqual([5, undefined, undefined]);
    expect(buffer.last).toBe(9);
  });

  it('considers a number unknown only after a later read', () => {
    const buffer = new EventBuffer();
    buffer.applyChanges(selectChanges(startedConversation(), 0), 0, 1);
    const ahead = cursorAt(3, 1);
    expect([buffer.next(ahead), buffer.missingAfter(ahead)]).toEqual([undefined, 1]);
    buffer.applyChanges(selectChanges(startedConversation(), 1), 1, 2);
    expect(drain(buffer, ahead)).toEqual(['1 snapshot']);
  });

  it('shows partial text only to viewers who have all before it, newest only, and never after its message', () => {
    const buffer = new EventBuffer();
    buffer.applyChanges(selectChanges(startedConversation(), 0), 0, 1);
    const cursor = cursorAt(0, 0);
    buffer.setPartialText({ text: 'a' });
    buffer.setPartialText({ text: 'a b' });
    expect(drain(buffer, cursor)).toEqual(['1 message', ' delta']);
    buffer.setPartialText({ text: 'a b' });
    expect(drain(buffer, cursor)).toEqual([]);
    buffer.setPartialText({ text: '' });
    expect(drain(buffer, cursor)).toEqual([' delta']);
    buffer.setPartialText({ text: '', thinkingSince: '2026-11-19T12:00:00.000Z' });
    expect(drain(buffer, cursor)).toEqual([' delta']);
    buffer.clearPartialText();
    expect(drain(buffer, cursor)).toEqual([' delta']);
    buffer.setPartialText({ text: 'a b c', thinkingSince: '2026-11-19T12:00:00.000Z' });
    expect(drain(buffer, cursor)).toEqual([' delta']);
    // The message follows: text that disappears until then would flicker.
    buffer.clearPartialText();
    expect(drain(buffer, cursor)).toEqual([]);
  });
});
