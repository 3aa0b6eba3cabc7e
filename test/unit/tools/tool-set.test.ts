import type { Agent } from '#contract/agent';
import { Question } from '#contract/question';
import {
  askingConversation,
  colourQuestion,
  lookUpTool,
  pendingQuestion,
  testAgent,
} from '#test/support/core/conversation-fixture';
import { MALFORMED_CALLS } from '#test/support/tools/malformed-calls';
import { excludeUnguardedServers } from '#tools/mcp/catalog';
import { builtInTools } from '#tools/registry';
import { createToolSet, selectToolsFor } from '#tools/tool-set';

const parseCall = (name: string, input: unknown, agent = testAgent()) =>
  createToolSet([...builtInTools, lookUpTool]).parseCall({ type: 'tool_use', id: 'call-1', name, input }, agent);

describe('a malformed call', () => {
  it.each(MALFORMED_CALLS)('of %s with %s gets an error that says what to fix', (name, _what, input, expected) => {
    const call = parseCall(name, input);
    if (call.run !== 'invalid') throw new Error(`taken as ${JSON.stringify(call)}`);
    expect(call).toMatchObject({ id: 'call-1', name });
    expect(call.message).toMatch(expected);
    expect(call.message).toContain(name);
    expect(call.message).not.toMatch(/undefined is not|at Object|\.ts:|ZodError/);
    expect(call.message).not.toMatch(/Invalid|expected|received|Too (big|small)|Unrecognized/);
    expect(call.message.length).toBeLessThan(2_000);
  });

  it.each<[object, string]>([
    [{}, '- questions: is missing'],
    [{ questions: [{ text: 'Q?' }] }, '- questions.0.question: is missing: the question, as one clear sentence'],
    [
      { questions: [colourQuestion], contxt: 'c' },
      '- contxt: unknown field; allowed: questions, context, timeout, onTimeout, remind; did you mean `context`?',
    ],
    [{ questions: [colourQuestion, pendingQuestion] }, '- questions: must have at most 1 item, but has 2'],
    [{ questions: [{ question: 5 }] }, '- questions.0.question: must be a string, not a number'],
  ])('can be fixed by its error: %j', (input, expected) => {
    expect(parseCall('ask_user_question', input, testAgent({ maxQuestions: 1 }))).toMatchObject({
      message: expect.stringContaining(expected),
    });
  });

  it("gets a schema's own message before the general ones", () => {
    const schema = { type: 'number', multipleOf: 2 };
    expect(parseCall('ask_user_question', { questions: [{ question: 'Q?', schema }] })).toMatchObject({
      message: expect.stringContaining('- questions.0.schema: unknown keyword "multipleOf"; allowed:'),
    });
  });

  it.each<[object, string]>([
    [{ body: 5 }, '- body: must be a string, an object or a list, not a number'],
    [{ headers: { ['x'.repeat(201)]: 'a' } }, ': name must be at most 200 characters, but has 201'],
    [{ method: 'PSOT' }, '- method: must be one of: GET, HEAD, POST, PUT, PATCH, DELETE; did you mean `POST`?'],
  ])('of http_request with %j gets the same kind of error', (input, expected) => {
    const agentWithHosts = { ...testAgent(), tools: [{ name: 'http_request', hosts: ['a.example'] }] };
    expect(parseCall('http_request', { url: 'https://a.example', ...input }, agentWithHosts)).toMatchObject({
      message: expect.stringContaining(expected),
    });
  });

  it('gets every error at once', () => {
    const questions = [{ question: '' }, { question: 'Q?', options: [{ label: 'A' }] }];
    const call = parseCall('ask_user_question', { questions, timeout: 'soon' });
    for (const path of ['questions.0.question', 'questions.1.options', 'timeout'])
      expect(call).toHaveProperty('message', expect.stringContaining(path));
  });

  it('with a thousand errors gets a message that is short enough to read', () => {
    const options = Array.from({ length: 1_000 }, () => 5);
    const call = parseCall('ask_user_question', { questions: [{ question: 'Q?', options }] });
    expect(call).toHaveProperty('run', 'invalid');
    expect((call as { message: string }).message.split('\n').length).toBeLessThanOrEqual(12);
  });
});

describe('a call', () => {
  it('of a question is parsed with its durations in milliseconds', () => {
    const input = {
      questions: [{ ...colourQuestion, header: 'H', default: 'Red' }],
      timeout: '2h',
      onTimeout: 'default',
    };
    expect(parseCall('ask_user_question', input)).toEqual({
      id: 'call-1',
      name: 'ask_user_question',
      run: 'ask',
      input: { ...input, timeout: 7_200_000 },
    });
    expect(parseCall('ask_user_question', { questions: [colourQuestion], timeout: 'never' })).toMatchObject({
      input: { timeout: null },
    });
  });

  it.each([
    ['confirm_action', { action: 'Go?', details: 'd', arguments: { a: [1] }, default: 'No' }, 'confirm'],
    ['write_todos', { todos: [{ content: 'Sand', status: 'pending' }] }, 'todos'],
    ['write_todos', { todos: [] }, 'todos'],
  ])('of %s is parsed unchanged', (name, input, run) => {
    expect(parseCall(name, input)).toEqual({ id: 'call-1', name, run, input });
  });

  it('of a tool that runs as an activity carries no arguments: they are in the transcript', () => {
    expect(parseCall('look_up', { what: 'x' })).toEqual({
      id: 'call-1',
      name: 'look_up',
      run: 'activity',
      runOnce: false,
    });
  });

  it('may ask more, with more options, if the agent allows it', () => {
    const options = Array.from({ length: 6 }, (_, n) => ({ label: `${n}` }));
    const questions = Array.from({ length: 5 }, (_, n) => ({ question: `${n}?`, options }));
    expect(parseCall('ask_user_question', { questions }).run).toBe('invalid');
    const raised = testAgent({ maxQuestions: 5, maxOptions: 6 });
    expect(parseCall('ask_user_question', { questions }, raised).run).toBe('ask');
  });

  it.each(['Yes', 'no', 'No, cancel', true, null])('of an approval has no default but "No": %j', (value) => {
    expect(parseCall('confirm_action', { action: 'Go?', default: value }).run).toBe('invalid');
  });

  it('makes a question that fits the contract', () => {
    expect(Question.parse(pendingQuestion(askingConversation([colourQuestion])))).toEqual(
      pendingQuestion(askingConversation([colourQuestion])),
    );
  });
});

describe('an agent', () => {
  const tools = [...builtInTools, lookUpTool];
  const toolNames = (agent: Agent) => selectToolsFor(agent, tools).map(({ name }) => name);
  const askingTools = ['ask_user_question', 'confirm_action'];

  it.each([
    ['the tools in its file, besides asking', { tools: [{ name: 'look_up' }] }, [...askingTools, 'look_up']],
    ['no other tools if its file lists none', { tools: [] }, askingTools],
    ['no asking tools if it may not ask', { canAsk: false, tools: [{ name: 'look_up' }] }, ['look_up']],
    ['delegate with sub-agents', { subagents: ['scout'], tools: [] }, [...askingTools, 'delegate']],
  ])('has %s', (_what, rest, expected) => {
    expect(toolNames({ ...testAgent(), ...rest } as Agent)).toEqual(expected);
  });

  it('gets an error for a call that is nested too deeply to read', () => {
    let input: object = {};
    for (let depth = 0; depth < 100; depth += 1) input = { input };
    expect(parseCall('look_up', input)).toMatchObject({
      run: 'invalid',
      message: expect.stringContaining('levels deep'),
    });
  });
});

describe('the tools of a server', () => {
  const mcp = { gh: { url: 'https://gh.example', headers: {}, timeout: 1_000 } };
  const tool = (serverToolName: string, name = `gh__${serverToolName}`) => ({
    name,
    serverToolName,
    description: serverToolName,
    inputSchema: { type: 'object' as const },
    runOnce: true,
    destructive: serverToolName === 'delete',
  });
  const catalog = { tools: [tool('delete'), tool('read'), tool('x', 'other__x')], unreachable: [] };
  const guardedAgent = (name: string): Agent => ({
    ...testAgent(),
    mcp,
    tools: [{ name, requiresConfirmation: true }],
  });
  const call = (agent: Agent, name: string, mcpCatalog = catalog) =>
    createToolSet(builtInTools).parseCall(
      { type: 'tool_use', id: 'call-1', name, input: {} },
      agent,
      excludeUnguardedServers(agent, mcpCatalog),
    );

  it('are called by their original names', () => {
    expect(call(guardedAgent('gh__delete'), 'gh__delete')).toMatchObject({
      run: 'activity',
      serverToolName: 'delete',
      runOnce: true,
    });
  });

  it('are destructive if their server says so', () => {
    expect(call(guardedAgent('gh__delete'), 'gh__delete')).toMatchObject({ destructive: true });
    expect(call(guardedAgent('gh__delete'), 'gh__read')).not.toHaveProperty('destructive');
  });

  it('are all blocked if a guard matches no tool, since one of them was meant', () => {
    const agent = guardedAgent('gh__delet');
    expect(excludeUnguardedServers(agent, catalog).tools.map(({ name }) => name)).toEqual(['other__x']);
    for (const name of ['gh__delete', 'gh__read'])
      expect(call(agent, name)).toMatchObject({ run: 'invalid', message: expect.stringContaining('gh__delet,') });
  });

  it('can be called while it is reported as down: it may be back', () => {
    const down = { tools: [], unreachable: [{ server: 'gh', reason: 'refused' }] };
    expect(call(guardedAgent('gh__delete'), 'gh__delete', down as never)).toMatchObject({
      run: 'activity',
      runOnce: true,
    });
  });
});

describe('the definitions for the model', () => {
  const definitions = createToolSet(builtInTools).definitions(testAgent());

  /** Every object in a schema, however deep. */
  function objectsIn(schema: unknown): Record<string, unknown>[] {
    if (typeof schema !== 'object' || schema === null) return [];
    const own = schema as Record<string, unknown>;
    return [...(own.properties ? [own] : []), ...Object.values(own).flatMap(objectsIn)];
  }

  it('are the built-in tools, each with a description', () => {
    expect(definitions.map(({ name }) => name)).toEqual(['ask_user_question', 'confirm_action', 'write_todos']);
    for (const { description } of definitions) expect(description.length).toBeGreaterThan(40);
  });

  it('are plain JSON Schema objects without additional properties, at any depth', () => {
    for (const { input_schema } of definitions) {
      expect(input_schema.type).toBe('object');
      expect(JSON.stringify(input_schema)).not.toContain('$schema');
      expect(JSON.parse(JSON.stringify(input_schema))).toEqual(input_schema);
      for (const object of objectsIn(input_schema)) expect(object.additionalProperties).toBe(false);
    }
    expect(definitions.flatMap(({ input_schema }) => objectsIn(input_schema)).length).toBeGreaterThanOrEqual(5);
  });

  it('list the required arguments, and the limits of the agent', () => {
    const [ask, confirm, todos] = definitions.map(({ input_schema }) => input_schema);
    expect([ask?.required, confirm?.required, todos?.required]).toEqual([['questions'], ['action'], ['todos']]);
    const raised = createToolSet(builtInTools).definitions(testAgent({ maxQuestions: 7, maxOptions: 9 }))[0]
      ?.input_schema;
    expect(ask).toHaveProperty('properties.questions.maxItems', 4);
    expect(raised).toHaveProperty('properties.questions.maxItems', 7);
    expect(raised).toHaveProperty('properties.questions.items.properties.options.maxItems', 9);
    expect(ask).toHaveProperty('properties.timeout.type', 'string');
  });
});
