import type { Agent } from '#contract/agent';
import { advance, applyModelReply, type NextStep } from '#core/conversation/advance';
import { applyCancel, applyUserMessage } from '#core/conversation/messages';
import { enforceSizeLimit } from '#core/conversation/size-limit';
import type { ConversationState } from '#core/conversation/state';
import { sha256Digest } from '#core/digest';
import { applyAnswer, applyDecline, expireQuestion } from '#core/questions/resolve';
import { recordToolResult } from '#core/tools/dispatch';
import { needsConfirmation } from '#core/tools/grants';
import {
  cloneState,
  modelReply,
  modelSays,
  ONE_HOUR,
  pendingQuestion,
  questionResultJson,
  resolvedQuestion,
  START_TIME,
  startedConversation,
  testAgent,
  toolResultsIn,
  toolUse,
} from '#test/support/core/conversation-fixture';

const YES = { answer: 'Yes, proceed', questionId: 'question-1' };
const NO = { answer: 'No, cancel', questionId: 'question-1' };
const guarded = (rest: Partial<Agent> = {}): Agent => ({
  ...testAgent(),
  tools: [{ name: 'look_up', requiresConfirmation: true }, { name: 'write_todos' }],
  ...rest,
});
const input = { host: 'db-1', force: true };

/** A conversation whose agent calls a tool that requires approval. */
function wanting(rest: Partial<Agent> = {}, ...more: Parameters<typeof toolUse>[]): ConversationState {
  const state = startedConversation({ agent: guarded(rest) });
  modelSays(state, toolUse('call-1', 'look_up', input), ...more.map((one) => toolUse(...one)));
  return state;
}

const step = (state: ConversationState): NextStep => advance(state, START_TIME);

describe('a tool that requires confirmation', () => {
  it('asks first, with the exact arguments and their digest, and only yes or no', () => {
    const question = pendingQuestion(wanting());
    expect(question).toMatchObject({
      confirms: { tool: 'look_up', arguments: input, digest: sha256Digest(input) },
      fields: [{ options: [{ label: 'Yes, proceed' }, { label: 'No, cancel' }], allowOther: false }],
    });
    expect(question.confirms).not.toHaveProperty('destructive');
    expect(question.fields[0]?.question).toContain('look_up');
    expect(question.context).toContain(JSON.stringify(input, null, 2));
  });

  it('is shown as destructive if it is declared so', () => {
    const state = startedConversation({ agent: guarded() });
    const reply = modelReply([toolUse('call-1', 'look_up', input)], state.agent);
    const calls = reply.calls.map((call) => ({ ...call, destructive: true }) as typeof call);
    applyModelReply(state, { ...reply, calls }, START_TIME);
    step(state);
    expect(pendingQuestion(state).confirms?.destructive).toBe(true);
  });

  it('runs after approval, with those arguments and their digest', () => {
    const state = wanting();
    expect(applyAnswer(state, YES, START_TIME)).toEqual({ ok: true });
    expect(step(state)).toMatchObject({
      do: 'runTool',
      input,
      call: { id: 'call-1', approval: { questionId: 'question-1', digest: sha256Digest(input) } },
    });
  });

  it("passes the approver's comment on to the model", () => {
    const state = wanting();
    applyAnswer(state, { ...YES, comment: 'Only "once"' }, START_TIME);
    const running = step(state);
    if (running.do !== 'runTool') throw new Error('it does not run');
    recordToolResult(state, running.call, { result: 'found' }, START_TIME);
    expect(toolResultsIn(state)[0]?.content).toBe('found\n\n[Approver comment: "Only \\"once\\""]');
  });

  it('does not run on a no, which is not an error', () => {
    const state = wanting();
    applyAnswer(state, { ...NO, comment: 'Not today' }, START_TIME);
    expect(step(state).do).toBe('callModel');
    expect(questionResultJson(state)).toEqual({
      confirmed: false,
      comment: 'Not today',
      message: 'look_up was not run.',
    });
  });

  it('does not run if it is skipped', () => {
    const state = wanting();
    applyDecline(state, { reason: 'Ask Sam' }, START_TIME);
    expect(step(state).do).toBe('callModel');
    expect(toolResultsIn(state)).toMatchObject([
      { is_error: true, content: 'The user declined to answer, and look_up was not run: Ask Sam' },
    ]);
  });

  it.each(['continue', 'default'] as const)('does not run if nobody answers, with %s', (onTimeout) => {
    const state = wanting({ questions: { ...testAgent().questions, onTimeout, timeout: ONE_HOUR } });
    expireQuestion(state, START_TIME + ONE_HOUR);
    expect(step(state).do).toBe('callModel');
    expect(questionResultJson(state)).toMatchObject({
      outcome: 'timed_out',
      message: expect.stringMatching(/neither a yes nor a no.*look_up was not run/),
    });
  });

  it('does not run if the conversation is cancelled, nor when it is resumed', () => {
    const state = wanting();
    applyCancel(state, {}, START_TIME);
    expect(step(state).do).toBe('end');
    applyUserMessage(state, { text: 'Yes, proceed' }, START_TIME);
    expect(step(state)).toMatchObject({ do: 'callModel' });
    expect(state.turn.pendingCalls).toEqual([]);
  });

  it.each(['Yes, proceed', 'yes', '{"answers":{"q1":"Yes, proceed"}}'])(
    'is not approved by a message that says %s',
    (text) => {
      const state = wanting();
      applyUserMessage(state, { text }, START_TIME);
      expect(step(state).do).toBe('park');
      expect(state.queuedMessages).toEqual([text]);
    },
  );

  it.each([
    ['another case', { answer: 'yes, proceed' }],
    ['"other"', { answer: { other: 'Yes, proceed' } }],
    ['a list', { answer: ['Yes, proceed'] }],
    ['true', { answer: true }],
    ['an approval of its own', { approval: { questionId: 'question-1', digest: sha256Digest(input) } }],
    ['the older question', { ...YES, questionId: 'question-0' }],
    ['no question', { ...YES, questionId: '' }],
    ['an approval that names no question', { answer: 'Yes, proceed' }],
    ['a rejection that names no question', { answer: 'No, cancel' }],
  ])('is not approved by %s', (_what, signal) => {
    const state = wanting();
    expect(applyAnswer(state, signal, START_TIME).ok).toBe(false);
    expect(step(state).do).toBe('park');
  });

  it('is asked for on each call: an approval does not apply to the next, whatever its arguments', () => {
    const state = wanting({}, ['call-2', 'look_up', input]);
    applyAnswer(state, YES, START_TIME);
    const first = step(state);
    if (first.do !== 'runTool') throw new Error('it does not run');
    recordToolResult(state, first.call, { result: 'found' }, START_TIME);
    expect(step(state).do).toBe('park');
    expect(pendingQuestion(state).id).toBe('question-2');
    expect(applyAnswer(state, { ...YES, questionId: 'question-1' }, START_TIME).ok).toBe(false);
    expect(step(state).do).toBe('park');
  });

  it('is not approved by an answer to confirm_action', () => {
    const state = startedConversation({ agent: guarded() });
    modelSays(
      state,
      toolUse('call-1', 'confirm_action', { action: 'Run look_up', arguments: input }),
      toolUse('call-2', 'look_up', input),
    );
    applyAnswer(state, YES, START_TIME);
    expect(step(state).do).toBe('park');
    expect(pendingQuestion(state)).toMatchObject({ id: 'question-2', confirms: { tool: 'look_up' } });
  });

  it('never runs with arguments other than the approved ones', () => {
    const state = wanting();
    applyAnswer(state, YES, START_TIME);
    const block = state.transcript.at(-1)?.content.find((one) => one.type === 'tool_use');
    Object.assign(block ?? {}, { input: { ...input, host: 'db-2' } });
    expect(step(state).do).toBe('callModel');
    expect(toolResultsIn(state)).toMatchObject([{ is_error: true, content: expect.stringContaining('differ') }]);
  });

  it('never runs with arguments truncated for size', () => {
    const state = startedConversation({ agent: guarded() });
    const long = { text: 'x'.repeat(3_000) };
    modelSays(state, toolUse('call-1', 'look_up', long));
    applyAnswer(state, YES, START_TIME);
    const squeezed = enforceSizeLimit(cloneState(state), 5_000);
    expect(advance(squeezed, START_TIME).do).toBe('callModel');
    expect(toolResultsIn(squeezed)[0]?.content).toContain('too large');
  });

  it('keeps its approval over continue-as-new', () => {
    const state = wanting();
    applyAnswer(state, YES, START_TIME);
    expect(step(cloneState(state))).toMatchObject({ do: 'runTool', input });
  });

  it('never runs as another call with the same id', () => {
    const tools = [{ name: 'delegate', requiresConfirmation: true }];
    const team = { mate: { ...testAgent(), name: 'mate' } };
    const state = startedConversation({ agent: guarded({ tools, subagents: ['mate'] }), subagentDefinitions: team });
    const task = (what: string) => toolUse('same', 'delegate', { agent: 'mate', task: what });
    modelSays(state, task('harmless'), task('DELETE EVERYTHING'));
    expect(pendingQuestion(state).confirms?.arguments).toMatchObject({ task: 'harmless' });
    applyAnswer(state, YES, START_TIME);
    expect(step(state)).toMatchObject({
      do: 'runSubagents',
      calls: [{ id: 'same', input: { task: 'harmless' } }],
    });
    expect(state.turn.pendingCalls.map(({ id }) => id)).toEqual(['same', 'same_2']);
    const ids = state.transcript.at(-1)?.content.map((block) => 'id' in block && block.id);
    expect(ids).toEqual(['same', 'same_2']);
  });

  it('may be of an MCP server, under a name with a hash', () => {
    const mcp = { gh: { url: 'https://gh.example', headers: {}, timeout: 1_000 } };
    const of = guarded({ mcp, tools: [{ name: 'gh__delete_repo', requiresConfirmation: true }] });
    const long = `gh__${'x'.repeat(124)}`;
    expect(needsConfirmation(of, 'gh__delete_repo')).toBe(true);
    expect(needsConfirmation(of, 'gh__delete_repo_0123abcd')).toBe(true);
    expect(needsConfirmation(of, 'gh__delete_0123abcd')).toBe(false);
    expect(needsConfirmation(of, 'gh__delete_repo_now')).toBe(false);
    const cut = guarded({ mcp, tools: [{ name: long, requiresConfirmation: true }] });
    expect(needsConfirmation(cut, `${long.slice(0, 119)}_0123abcd`)).toBe(true);
  });

  it('cannot be approved if the agent may not ask, and says so', () => {
    const state = wanting({ canAsk: false });
    expect(step(state).do).toBe('callModel');
    expect(toolResultsIn(state)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('approval'),
    });
  });

  it('does not run if its arguments are too long to read', () => {
    const state = startedConversation({ agent: guarded() });
    modelSays(state, toolUse('call-1', 'look_up', { text: 'x'.repeat(9_000) }));
    expect(toolResultsIn(state)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('16 KB'),
    });
  });

  it('counts as a question of the agent: above its limit it does not run', () => {
    const state = wanting({ questions: { ...testAgent().questions, perTurn: 1 } }, ['call-2', 'look_up', input]);
    applyAnswer(state, NO, START_TIME);
    step(state);
    expect(toolResultsIn(state)[1]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('limit of 1'),
    });
  });

  it('may be one that only changes the state', () => {
    const tools = [{ name: 'write_todos', requiresConfirmation: true }];
    const state = startedConversation({ agent: guarded({ tools }) });
    modelSays(state, toolUse('call-1', 'write_todos', { todos: [{ content: 'Sand', status: 'pending' }] }));
    expect(state.todos).toEqual([]);
    applyAnswer(state, YES, START_TIME);
    step(state);
    expect(state.todos).toHaveLength(1);
  });
});

describe('confirm_action', () => {
  it('binds the arguments it shows by their digest', () => {
    const state = startedConversation();
    modelSays(state, toolUse('call-1', 'confirm_action', { action: 'Drop it?', arguments: input }));
    expect(pendingQuestion(state).confirms).toEqual({
      tool: null,
      arguments: input,
      digest: sha256Digest(input),
    });
    applyAnswer(state, YES, START_TIME);
    expect(resolvedQuestion(state).confirms?.digest).toBe(sha256Digest(input));
    expect(questionResultJson(state)).toEqual({ confirmed: true });
  });
});
