import fc from 'fast-check';
import type { TimelineEntry } from '#contract/timeline';
import { applyCancel, applyUserMessage } from '#core/conversation/messages';
import { enforceSizeLimit, MAX_STATE_BYTES } from '#core/conversation/size-limit';
import { addTimelineEntry, type ConversationState } from '#core/conversation/state';
import { byteLength, jsonBytes, truncateText } from '#core/json';
import { recordNotification } from '#core/questions/notifications';
import { applyAnswer, applyDecline } from '#core/questions/resolve';
import {
  findArchivableEntries,
  mergeArchivedEntries,
  removeArchivedEntries,
  selectOldEntries,
  selectTimeline,
  takeFirstChunk,
} from '#core/timeline';
import { findStoredResultMarker, storedResultMarker } from '#core/tools/stored-result-marker';
import { dropThinking } from '#core/transcript/prefix';
import { type ContentBlock, createToolResult } from '#core/transcript/transcript';
import {
  askingConversation,
  modelSays,
  nameQuestion,
  START_TIME,
  startedConversation,
  toolUse,
} from '#test/support/core/conversation-fixture';

const text = (of: string): ContentBlock => ({ type: 'text', text: of });

/** The model calls a tool and reads its result. */
function exchange(
  state: ConversationState,
  call: { text?: string; input?: unknown; result?: string; rest?: ContentBlock[] },
): void {
  const id = `call-${state.transcript.length}`;
  const said = [...(call.rest ?? []), ...(call.text ? [text(call.text)] : [])];
  state.transcript.push({ role: 'assistant', content: [...said, toolUse(id, 'look_up', call.input ?? {})] });
  state.transcript.push({ role: 'user', content: [createToolResult(id, call.result ?? 'ok')] });
}

function exchanged(times: number, call: Parameters<typeof exchange>[1]): ConversationState {
  const state = startedConversation();
  for (let n = 0; n < times; n += 1) exchange(state, call);
  exchange(state, { result: 'newest '.repeat(1_000) });
  return state;
}

/** Roles alternate, the user first, and every call has its result directly after, in order. */
function isReadable({ transcript }: ConversationState): boolean {
  return transcript.every(({ role, content }, index) => {
    const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const next = transcript[index + 1]?.content ?? [];
    const results = next.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    const isAnswered = index === transcript.length - 1 || `${calls}` === `${results}`;
    return role === (index % 2 === 0 ? 'user' : 'assistant') && isAnswered;
  });
}

/** Notes about removed content may exceed the limit by this much. */
const NOTE = 128;

/** Checks that it is below the limit, still valid for the model, and says that something was removed. */
function expectBounded(state: ConversationState, most = MAX_STATE_BYTES): ConversationState {
  const before = JSON.stringify(state);
  expect(before.length).toBeGreaterThan(most);
  const bounded = enforceSizeLimit(state, most);
  expect(jsonBytes(bounded)).toBeLessThanOrEqual(most + NOTE);
  expect(Math.abs(bounded.sizeBytes - jsonBytes(bounded))).toBeLessThan(10);
  expect(selectTimeline(bounded).truncated).toBe(true);
  expect(isReadable(bounded)).toBe(true);
  expect(bounded.transcript.at(-1)).toEqual(state.transcript.at(-1));
  for (const kept of [
    'question',
    'settledQuestion',
    'queuedMessages',
    'todos',
    'messageResults',
    'lastEntryId',
    'turn',
  ] as const)
    expect(bounded[kept]).toEqual(state[kept]);
  expect(JSON.stringify(state) === before).toBe(true);
  return bounded;
}

it('a state within the limit is unchanged and its size known', () => {
  const state = exchanged(10, { result: 'x'.repeat(1_000) });
  const bounded = enforceSizeLimit(state);
  expect({ ...bounded, sizeBytes: 0 }).toEqual(state);
  expect(bounded.sizeBytes).toBe(jsonBytes(state));
});

describe('a conversation above the size limit', () => {
  it('loses its oldest entries first, and nothing the model reads', () => {
    const state = exchanged(10, { result: 'x'.repeat(1_000) });
    for (let n = 0; n < 5_000; n += 1)
      addTimelineEntry(state, { kind: 'message', role: 'assistant', text: `${n} ${'x'.repeat(400)}` }, START_TIME);
    const bounded = expectBounded(state);
    expect(bounded.transcript).toEqual(state.transcript);
    expect(bounded.entries).toEqual(state.entries.slice(-bounded.entries.length));
    expect(bounded.entries.length).toBeGreaterThan(2_000);
  });

  it('loses its oldest tool results next, and keeps the newer ones', () => {
    const bounded = expectBounded(exchanged(20, { result: 'x'.repeat(200_000) }));
    expect(bounded.transcript).toHaveLength(43);
    const lengths = bounded.transcript.flatMap(({ content }) =>
      content.map((block) => (block.type === 'tool_result' ? block.content.length : -1)).filter((n) => n >= 0),
    );
    expect(lengths[0]).toBeLessThan(100);
    expect(lengths.filter((length) => length === 200_000).length).toBeGreaterThanOrEqual(6);
  });

  it.each([
    ['long texts', exchanged(20, { text: 'x'.repeat(200_000) })],
    ['large arguments', exchanged(20, { input: { data: 'x'.repeat(200_000) } })],
    ['many small turns', exchanged(20_000, { text: 'Next.' })],
    ['a lot of thinking', exchanged(20, { rest: [{ type: 'thinking', thinking: 'x'.repeat(200_000) }] })],
    ['text that is not ASCII', exchanged(20, { text: 'é'.repeat(150_000), result: '汉'.repeat(150_000) })],
    ['emoji', exchanged(20, { text: '🎨'.repeat(40_000), input: { data: '🎨'.repeat(40_000) } })],
    ['quotes, which JSON doubles', exchanged(20, { result: '"'.repeat(100_000) })],
    ['a little of everything', exchanged(400, { text: 'x'.repeat(3_000), input: ['y'.repeat(3_000)], result: 'z' })],
  ])('gets below it with %s', (_what, state) => {
    expectBounded(state);
  });

  it('loses all of its thinking before anything else the model reads, since what is before it changes', () => {
    const state = exchanged(20, { rest: [{ type: 'thinking', thinking: 'x'.repeat(200_000) }] });
    state.prefix = { system: 'Be brief.', status: '', tools: [] };
    const { transcript, prefix } = expectBounded(state);
    expect(transcript).toEqual(dropThinking(state.transcript));
    expect(prefix).toBeUndefined();
  });

  it('keeps every call with its result if a reply was only thinking', () => {
    const state = exchanged(3, { text: 'Next.' });
    state.transcript.push({ role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.' }] });
    state.transcript.push({ role: 'user', content: [text('Well?')] });
    for (let n = 0; n < 40; n += 1) exchange(state, { text: 'Next.' });
    for (const maxBytes of [8_000, 7_800, 6_000]) expectBounded(state, maxBytes);
  });

  it.each([
    ['arguments', exchanged(20, { input: { data: 'x'.repeat(200_000) } })],
    ['texts', exchanged(20, { text: 'x'.repeat(200_000) })],
  ])('loses long %s before it loses whole turns', (_what, state) => {
    expect(expectBounded(state).transcript).toHaveLength(state.transcript.length);
  });

  it('keeps what the user said last, whatever else is removed', () => {
    const state = exchanged(20, { text: 'Next.' });
    state.transcript.at(-1)?.content.push(text('Quick! '.repeat(1_000)));
    const bounded = enforceSizeLimit(state, 1_000);
    expect(bounded.transcript.at(-1)?.content.at(-1)).toEqual(text('Quick! '.repeat(1_000)));
    expect(isReadable(bounded)).toBe(true);
  });

  it('keeps its open question, and can still be answered', () => {
    const state = exchanged(20, { result: 'x'.repeat(200_000) });
    modelSays(state, text('One thing.'), toolUse('ask', 'ask_user_question', { questions: [nameQuestion] }));
    const bounded = expectBounded(state);
    expect(applyAnswer(bounded, { answer: 'Ada' }, START_TIME)).toEqual({ ok: true });
    expect(bounded.settledQuestion).toMatchObject({ status: 'answered' });
  });

  it('gets below it even if the results of one turn exceed it, passed on or not', () => {
    const state = startedConversation();
    const calls = Array.from({ length: 10 }, (_, n) => toolUse(`call-${n}`, 'look_up', {}));
    state.transcript.push({ role: 'assistant', content: calls });
    const results = calls.map((_, n) => createToolResult(`call-${n}`, 'x'.repeat(200_000)));
    const waiting = { ...state, turn: { pendingCalls: [], results } };
    const heard = {
      ...state,
      transcript: [...state.transcript, { role: 'user' as const, content: results }],
    };
    expect(jsonBytes(enforceSizeLimit(waiting))).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(jsonBytes(enforceSizeLimit(heard))).toBeLessThanOrEqual(MAX_STATE_BYTES);
  });

  it('gets below it even if a call that waits behind the question has huge arguments', () => {
    const state = startedConversation();
    const asks = toolUse('ask', 'ask_user_question', { questions: [nameQuestion] });
    modelSays(
      state,
      asks,
      toolUse('huge', 'confirm_action', { action: 'Go?', arguments: { data: 'x'.repeat(900_000) } }),
    );
    expect(state.question).not.toBeNull();
    expect(jsonBytes(enforceSizeLimit(state))).toBeLessThanOrEqual(MAX_STATE_BYTES);
  });

  it('gets below it even with many calls that each stay below their limit', () => {
    const state = startedConversation();
    const asks = toolUse('ask', 'ask_user_question', { questions: [nameQuestion] });
    const others = Array.from({ length: 300 }, (_, n) =>
      toolUse(`other-${n}`, 'confirm_action', { action: 'Go?', details: 'é'.repeat(4_000) }),
    );
    modelSays(state, asks, ...others);
    expect(jsonBytes(enforceSizeLimit(state, 1_500_000))).toBeLessThanOrEqual(1_500_000);
  });

  it('runs no call whose arguments were removed', () => {
    const state = startedConversation();
    const asks = toolUse('ask', 'ask_user_question', { questions: [nameQuestion] });
    modelSays(
      state,
      asks,
      toolUse('huge', 'look_up', { data: 'x'.repeat(2_000_000) }),
      toolUse('small', 'look_up', {}),
    );
    expect(state.turn.pendingCalls.map(({ run }) => run)).toEqual(['ask', 'activity', 'activity']);
    const { pendingCalls } = enforceSizeLimit(state).turn;
    expect(pendingCalls.map(({ run }) => run)).toEqual(['ask', 'invalid', 'activity']);
  });

  it('says once that something was removed, however often that happened', () => {
    let state = exchanged(200, { text: 'Next.' });
    for (let n = 0; n < 5; n += 1) {
      for (let m = 0; m < 100; m += 1) exchange(state, { text: 'Next.' });
      state = expectBounded(state, 20_000);
    }
    expect(JSON.stringify(state.transcript).split('were removed to save space')).toHaveLength(2);
  });

  it('gets below any limit that has room for its newest turn', () => {
    const amount = fc.oneof(fc.constant(0), fc.nat(50), fc.nat(5_000));
    const turn = fc.record({
      text: amount,
      input: amount,
      result: amount,
      letter: fc.constantFrom('x', 'é', '🎨'),
    });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 20, maxLength: 60 }), fc.nat(4_000), (turns, room) => {
        const state = startedConversation({ message: 'x'.repeat(3_000) });
        for (const { letter, ...sizes } of turns) {
          const of = (length: number) => letter.repeat(length);
          exchange(state, { text: of(sizes.text), input: [of(sizes.input)], result: of(sizes.result) });
        }
        exchange(state, { result: 'the newest' });
        if (JSON.stringify(state).length > 8_000 + room) expectBounded(state, 8_000 + room);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['an answer', (s: ConversationState, raw: object) => applyAnswer(s, { answer: 'Ada', ...raw }, START_TIME)],
    ['a decline', applyDecline],
    ['a cancel', applyCancel],
    ['a message', (s: ConversationState, raw: object) => applyUserMessage(s, { text: 'Ada', ...raw }, START_TIME)],
  ])('stays valid after %s with huge content', (_what, move) => {
    for (const part of ['id', 'by', 'via', 'digest', 'reason', 'comment', 'text', 'questionId']) {
      const state = askingConversation([nameQuestion]);
      move(state, { [part]: 'x'.repeat(1_900_000) }, START_TIME);
      expect([part, jsonBytes(enforceSizeLimit(state)) <= MAX_STATE_BYTES]).toEqual([part, true]);
    }
  });
});

describe('archived entries', () => {
  const entry = (state: ConversationState, length: number) =>
    addTimelineEntry(state, { kind: 'message', role: 'assistant', text: 'x'.repeat(length) }, START_TIME);
  /** Archives chunk by chunk, like the workflow, until nothing is left to archive. */
  function keepAll(state: ConversationState, most: number): Map<string, TimelineEntry[]> {
    const kept = new Map<string, TimelineEntry[]>();
    for (;;) {
      const old = takeFirstChunk(selectOldEntries(state, most));
      const [first, last] = [old[0], old.at(-1)];
      if (!first || !last) return kept;
      const name = `${first.id}-${last.id}`;
      kept.set(name, findArchivableEntries(state, first.id, last.id));
      removeArchivedEntries(state, name, old);
    }
  }

  it('are all that left the state, of any size, and then the limit loses nothing', () => {
    const sizes = fc.array(fc.oneof(fc.nat(200), fc.nat(30_000)), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(sizes, fc.nat(20_000), (lengths, room) => {
        const state = startedConversation();
        for (const length of lengths) entry(state, length);
        const before = [...state.entries];
        const kept = keepAll(state, 5_000 + room);
        expect(state.archivedChunks?.map(({ name }) => name) ?? []).toEqual([...kept.keys()]);
        const seen = { entries: [...kept.values()].flat(), isComplete: true };
        expect(mergeArchivedEntries(selectTimeline(state), seen).items).toEqual(before);
        expect(enforceSizeLimit(state, 5_000 + room).truncated).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('are at most a megabyte at a time, but always at least one', () => {
    const state = startedConversation();
    for (let n = 0; n < 30; n += 1) entry(state, 100_000);
    for (const piece of keepAll(state, 10_000).values()) expect(jsonBytes(piece)).toBeLessThanOrEqual(1_000_100);
    entry(state, 1_500_000);
    expect(takeFirstChunk(selectOldEntries(state, 10_000)).length).toBeGreaterThan(0);
  });

  it('exclude the open question, and what changed while they were archived', () => {
    const state = askingConversation([nameQuestion]);
    for (let n = 0; n < 10; n += 1) entry(state, 10_000);
    const old = selectOldEntries(state, 1_000);
    expect(old.some(({ kind }) => kind === 'question')).toBe(false);
    applyAnswer(state, { answer: 'Ada' }, START_TIME);
    removeArchivedEntries(state, 'first', old);
    const [question] = state.entries;
    expect(question).toMatchObject({ kind: 'question', question: { status: 'answered' } });
    const settled = selectOldEntries(state, 1_000);
    recordNotification(
      state,
      'question-1',
      { number: 1, channel: 'log', what: 'told', to: [], at: '' } as never,
      undefined,
      START_TIME,
    );
    removeArchivedEntries(state, 'second', settled);
    expect(state.entries[0]).toMatchObject({ kind: 'question', question: { notices: [{ channel: 'log' }] } });
  });

  it('are read only if some are newer than the requested position', () => {
    const state = startedConversation();
    for (let n = 0; n < 10; n += 1) entry(state, 1_000);
    keepAll(state, 6_000);
    const last = state.archivedChunks?.at(-1)?.lastEntryId ?? 0;
    expect(selectTimeline(state, last).archivedChunks).toBeUndefined();
    expect(selectTimeline(state, last - 1).archivedChunks).toHaveLength(1);
  });

  it('leave the handle of a large result in what the model reads', () => {
    const line = storedResultMarker('r-0123456789ab', 3_000_000);
    const bounded = enforceSizeLimit(exchanged(60, { result: `${line}\n${'x'.repeat(100_000)}` }));
    const first = bounded.transcript[2]?.content[0] as { content: string };
    expect(first.content.length).toBeLessThan(200);
    expect(findStoredResultMarker(first.content)).toBe(line);
  });
});

describe('text', () => {
  it('is measured in bytes of UTF-8, as Buffer does', () => {
    const any = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
    const halves = fc.string({ unit: fc.constantFrom('a', 'é', '汉', '🎨', '\ud83c', '\udfa8') });
    fc.assert(
      fc.property(fc.oneof(any, halves), (of) => byteLength(of) === Buffer.byteLength(of)),
      {
        numRuns: 2_000,
      },
    );
  });

  it('is truncated only if it is too long, and says how much is missing', () => {
    expect(truncateText('abcde', 5)).toBe('abcde');
    expect(truncateText('abcdef', 5)).toBe('abcde… [1 more characters]');
  });

  it('is never truncated within a character, which the model would reject', () => {
    for (const most of [10, 11]) expect(() => encodeURIComponent(truncateText('🎨'.repeat(20), most))).not.toThrow();
  });
});
