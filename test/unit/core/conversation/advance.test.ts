import { advance, applyModelReply, type NextStep } from '#core/conversation/advance';
import { applyCancel, applyUserMessage } from '#core/conversation/messages';
import { reopenConversation } from '#core/conversation/state';
import { toConversation } from '#core/projections';
import { applyAnswer, applyDecline } from '#core/questions/resolve';
import { recordToolResult } from '#core/tools/dispatch';
import { applySummary } from '#core/transcript/compaction';
import {
  askingConversation,
  cloneState,
  colourQuestion,
  modelReply,
  modelSays,
  START_TIME,
  startedConversation,
  toolResultsIn,
  toolUse,
} from '#test/support/core/conversation-fixture';

const LATER = START_TIME + 60_000;
const ask = (id: string) => toolUse(id, 'ask_user_question', { questions: [colourQuestion] });
const look = (id: string) => toolUse(id, 'look_up', { what: id });
const todo = { content: 'Sand the door', status: 'in_progress' };

/** Completes the tool of this step. */
function done(
  state: ReturnType<typeof startedConversation>,
  step: NextStep,
  outcome: { result: string } | { error: string },
) {
  if (step.do !== 'runTool') throw new Error(`the next step is ${step.do}, not a tool`);
  recordToolResult(state, step.call, outcome, START_TIME);
  return advance(state, START_TIME);
}

describe('a turn', () => {
  it('starts with the model, which has read the first message', () => {
    const state = startedConversation();
    expect(advance(state, START_TIME)).toEqual({ do: 'callModel', messageCount: 1 });
    expect(state.transcript).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Paint the shed.' }] }]);
  });

  it('runs the tools before a question, waits, then runs those after it, and passes on all results in order', () => {
    const state = startedConversation();
    let step = modelSays(state, 'Let me see.', look('a'), ask('b'), look('c'), ask('d'));
    expect(step).toMatchObject({ do: 'runTool', call: { id: 'a' }, input: { what: 'a' } });
    expect(state.question).toBeNull();
    step = done(state, step, { result: 'A' });
    expect(step).toEqual({ do: 'park' });
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    step = advance(state, START_TIME);
    expect(step).toMatchObject({ do: 'runTool', call: { id: 'c' } });
    step = done(state, step, { error: 'C is gone' });
    expect(step).toEqual({ do: 'park' });
    expect(state.transcript).toHaveLength(2);
    applyDecline(state, {}, START_TIME);
    expect(advance(state, START_TIME)).toEqual({ do: 'callModel', messageCount: 3 });
    expect(toolResultsIn(state)).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'A' },
      { type: 'tool_result', tool_use_id: 'b', content: '{"answers":{"Which colour?":"Red"}}' },
      { type: 'tool_result', tool_use_id: 'c', content: 'C is gone', is_error: true },
      { type: 'tool_result', tool_use_id: 'd', content: 'The user declined to answer.', is_error: true },
    ]);
  });

  it('returns the same step when asked again', () => {
    const state = startedConversation();
    const step = modelSays(state, look('a'), ask('b'));
    expect(advance(cloneState(state), START_TIME)).toEqual(step);
    expect(advance(state, START_TIME)).toEqual(step);
    expect(state.entries.filter((entry) => entry.kind === 'question')).toEqual([]);
  });

  it('reports a malformed call to the model, and continues with the rest', () => {
    const state = startedConversation();
    const step = modelSays(
      state,
      toolUse('a', 'ask_user_question', { questions: [] }),
      toolUse('b', 'no_such_tool', {}),
      ask('c'),
    );
    expect(step).toEqual({ do: 'park' });
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    expect(toolResultsIn(state)).toMatchObject([
      { tool_use_id: 'a', is_error: true, content: expect.stringContaining('questions') },
      { tool_use_id: 'b', is_error: true, content: expect.stringContaining('no_such_tool') },
      { tool_use_id: 'c', content: expect.stringContaining('Red') },
    ]);
    expect(state.entries).toContainEqual(
      expect.objectContaining({ kind: 'tool', name: 'no_such_tool', error: expect.any(String) }),
    );
  });

  it('records a tool once, with its result, and truncates only what people see', () => {
    const state = startedConversation();
    const result = 'x'.repeat(20_000);
    done(state, modelSays(state, toolUse('a', 'look_up', { text: 'y'.repeat(20_000) })), { result });
    const tools = state.entries.filter((entry) => entry.kind === 'tool');
    expect(tools).toHaveLength(1);
    expect(JSON.stringify(tools).length).toBeLessThan(17_000);
    expect(toolResultsIn(state)[0]?.content).toBe(result);
  });

  it('stores the to-do list, shows it, and tells the model', () => {
    const state = startedConversation();
    expect(modelSays(state, toolUse('a', 'write_todos', { todos: [todo] }))).toEqual({
      do: 'callModel',
      messageCount: 3,
    });
    expect(toConversation(state).todos).toEqual([todo]);
    expect(state.entries.at(-1)).toMatchObject({ kind: 'todos', todos: [todo] });
    expect(toolResultsIn(state)).toMatchObject([{ tool_use_id: 'a', content: expect.any(String) }]);
    expect(toolResultsIn(state)[0]).not.toHaveProperty('is_error');
    modelSays(state, toolUse('b', 'write_todos', { todos: [] }));
    expect(state.todos).toEqual([]);
  });
});

describe('a conversation finishes', () => {
  it('when the model has no more calls, with its text as the result', () => {
    const state = startedConversation();
    applyModelReply(state, modelReply(['It is red.', 'Twice.']), START_TIME);
    expect(advance(state, LATER)).toEqual({ do: 'end' });
    expect(state).toMatchObject({
      status: 'completed',
      result: 'It is red.\n\nTwice.',
      error: null,
      completedAt: new Date(LATER).toISOString(),
    });
    expect(state.entries.map((entry) => entry.kind)).toEqual(['message', 'message', 'status']);
    expect(advance(state, LATER)).toEqual({ do: 'end' });
  });

  it('with no result if the reply is empty, and can be resumed', () => {
    const state = startedConversation();
    expect(modelSays(state)).toEqual({ do: 'end' });
    expect(state).toMatchObject({ status: 'completed', result: '' });
    expect(state.transcript).toHaveLength(1);
    applyUserMessage(state, { text: 'Well?' }, START_TIME);
    expect(advance(state, START_TIME)).toEqual({ do: 'callModel', messageCount: 1 });
    expect(state.transcript[0]?.content.at(-1)).toEqual({ type: 'text', text: 'Well?' });
  });

  it('with an empty result if the model only thought', () => {
    const state = startedConversation();
    modelSays(state, { type: 'thinking', thinking: '', signature: 's' });
    expect(state).toMatchObject({ status: 'completed', result: '' });
    expect(state.entries.filter((entry) => entry.kind === 'message')).toHaveLength(1);
  });

  it('as failed if the reply is unusable, keeping what was said', () => {
    const state = startedConversation();
    const fault = { code: 'reply_cut_off', message: 'Cut off.' };
    applyModelReply(state, { ...modelReply(['It is re']), error: fault }, START_TIME);
    expect(advance(state, START_TIME)).toEqual({ do: 'end' });
    expect(state).toMatchObject({ status: 'failed', error: fault, result: null });
    expect(state.transcript.at(-1)).toMatchObject({ role: 'assistant' });
  });

  it('as failed after too many model calls, and a message continues it', () => {
    const state = startedConversation();
    let step = advance(state, START_TIME);
    for (let calls = 0; step.do === 'callModel' && calls <= 1_000; calls += 1)
      step = modelSays(state, toolUse(`t${calls}`, 'write_todos', { todos: [] }));
    expect(step).toEqual({ do: 'end' });
    expect(state).toMatchObject({ status: 'failed', error: { code: 'too_many_model_calls' } });
    expect(state.modelCallsSinceMessage).toBeGreaterThanOrEqual(100);
    expect(state.transcript.at(-1)?.content).toMatchObject([{ type: 'tool_result' }]);
    applyUserMessage(state, { text: 'Go on.' }, START_TIME);
    expect(advance(state, START_TIME)).toMatchObject({ do: 'callModel' });
    expect(modelSays(state, 'Done.')).toEqual({ do: 'end' });
  });

  it('with a result for every call that never ran, so that it can be resumed', () => {
    const state = startedConversation();
    modelSays(state, look('a'), ask('b'), look('c'));
    applyCancel(state, {}, START_TIME);
    expect(advance(state, START_TIME)).toEqual({ do: 'end' });
    expect(toolResultsIn(state)).toMatchObject(['a', 'b', 'c'].map((id) => ({ tool_use_id: id, is_error: true })));
    expect(state.turn).toEqual({ pendingCalls: [], results: [] });
  });
});

describe('messages of the user', () => {
  it('sent during a model call or tool run reach the model verbatim, last, in order', () => {
    const state = startedConversation();
    applyUserMessage(state, { text: ' And the\n door? ' }, START_TIME);
    expect(state.transcript).toHaveLength(1);
    const step = modelSays(state, look('a'));
    applyUserMessage(state, { text: 'Quick!' }, START_TIME);
    expect(done(state, step, { result: 'A' })).toEqual({ do: 'callModel', messageCount: 3 });
    expect(state.transcript[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'A' },
        { type: 'text', text: ' And the\n door? ' },
        { type: 'text', text: 'Quick!' },
      ],
    });
  });

  it('keep a conversation from finishing', () => {
    const state = startedConversation();
    applyUserMessage(state, { text: 'And the door?' }, START_TIME);
    expect(modelSays(state, 'The shed is red.')).toEqual({ do: 'callModel', messageCount: 3 });
    expect(state.status).toBe('running');
    expect(state.transcript.at(-1)?.content).toEqual([{ type: 'text', text: 'And the door?' }]);
  });

  it('sent before a failure are delivered after it', () => {
    const state = startedConversation();
    applyUserMessage(state, { text: 'And the door?' }, START_TIME);
    applyModelReply(state, { ...modelReply(['Hm']), error: { code: 'x', message: 'x' } }, START_TIME);
    expect(advance(state, START_TIME)).toEqual({ do: 'callModel', messageCount: 3 });
    expect(state).toMatchObject({ status: 'running', error: null, completedAt: null });
  });

  it('stay unanswered if the conversation was cancelled while a reply was on its way', () => {
    const state = startedConversation();
    advance(state, START_TIME);
    applyCancel(state, {}, START_TIME);
    const before = cloneState(state);
    const call = toolUse('t', 'look_up', {});
    applyModelReply(state, { ...modelReply(['Hm', call]), error: { code: 'x', message: 'x' } }, LATER);
    applySummary(state, { messageCount: 1 }, 'All done.');
    expect(state).toEqual(before);
    applyUserMessage(state, { text: 'Go on.' }, LATER);
    expect(advance(state, LATER).do).toBe('callModel');
  });

  it('resume a finished conversation with all it knew and nothing of how it ended', () => {
    const state = askingConversation();
    applyAnswer(state, { answer: 'Red' }, START_TIME);
    advance(state, START_TIME);
    modelSays(state, toolUse('t', 'write_todos', { todos: [todo] }));
    modelSays(state, 'Done.');
    const before = cloneState(state);
    reopenConversation(state, LATER);
    applyUserMessage(state, { text: 'And the door?' }, LATER);
    expect(advance(state, LATER)).toEqual({ do: 'callModel', messageCount: before.transcript.length + 1 });
    expect(state).toMatchObject({ status: 'running', result: null, error: null, completedAt: null });
    expect(state.transcript.slice(0, -1)).toEqual(before.transcript);
    expect(state.todos).toEqual([todo]);
    expect(state.questionCount).toEqual({ total: 1, sinceMessage: 0 });
    expect(state.entries.slice(before.entries.length)).toMatchObject([
      { kind: 'status', status: 'running', id: before.lastEntryId + 1 },
      { kind: 'message', text: 'And the door?', id: before.lastEntryId + 2 },
    ]);
  });
});
