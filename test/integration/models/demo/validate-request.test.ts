import Anthropic from '@anthropic-ai/sdk';
import { type DemoModelServer, startDemoModelServer } from '#models/demo/server';
import { replyWithText } from '#test/support/scripted-model';

type Params = Anthropic.MessageCreateParamsNonStreaming;

const request = {
  model: 'demo',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hi' }],
} satisfies Params;
const script = jest.fn(() => replyWithText('Hi'));

let server: DemoModelServer;
let client: Anthropic;

beforeAll(async () => {
  server = await startDemoModelServer(script);
  client = new Anthropic({ apiKey: 'x', baseURL: server.url, maxRetries: 0 });
});

beforeEach(() => script.mockClear());

afterAll(() => server.stop());

describe('the demo model rejects', () => {
  const user = (...content: unknown[]) => ({ role: 'user', content });
  const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
  const text = (value: string) => ({ type: 'text', text: value });
  const call = (id: string, name = 'now', input: unknown = {}) => ({ type: 'tool_use', id, name, input });
  const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });
  const tool = (name: string, schema: object = { type: 'object' }) => ({ name, input_schema: schema });
  const cached = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };
  const hi = user(text('Hi'));

  it.each<[string, object, RegExp]>([
    ['no model', { model: undefined }, /model: Field required/],
    ['no max_tokens', { max_tokens: undefined }, /max_tokens: Field required/],
    ['max_tokens of 0', { max_tokens: 0 }, /max_tokens: Input should be greater/],
    ['no messages', { messages: undefined }, /messages: Field required/],
    ['an empty list of messages', { messages: [] }, /at least one message/],
    ['a first message that is not the user’s', { messages: [assistant(text('Hi')), hi] }, /first message must use the/],
    ['an unknown role', { messages: [hi, { role: 'tool', content: 'x' }] }, /messages\.1\.role/],
    [
      'a last message that is the assistant’s',
      { messages: [hi, assistant(text('So'))] },
      /must end with a user message/,
    ],
    ['empty content', { messages: [user()] }, /non-empty content/],
    ['empty content as a string', { messages: [{ role: 'user', content: '' }] }, /non-empty content/],
    ['an empty text block', { messages: [user(text(''))] }, /text content blocks must be non-empty/],
    ['a blank text block', { messages: [user(text(' \n'))] }, /non-whitespace/],
    [
      'an empty text within a result',
      { messages: [hi, assistant(call('a')), user(result('a', [text('')]))] },
      /must be non-empty/,
    ],
    [
      'a call without a result',
      { messages: [hi, assistant(call('a')), hi] },
      /messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: a\./,
    ],
    [
      'one of two calls without a result',
      { messages: [hi, assistant(call('a'), call('b')), user(result('a'))] },
      /immediately after: b\./,
    ],
    [
      'a result one message late',
      { messages: [hi, assistant(call('a')), hi, user(result('a'))] },
      /immediately after: a\./,
    ],
    [
      'text before the results',
      { messages: [hi, assistant(call('a')), user(text('So'), result('a'))] },
      /immediately after: a\./,
    ],
    [
      'text between the results',
      { messages: [hi, assistant(call('a'), call('b')), user(result('a'), text('So'), result('b'))] },
      /immediately after: b\./,
    ],
    ['a call at the very end', { messages: [hi, assistant(call('a'))] }, /immediately after: a\./],
    [
      'a result without a call',
      { messages: [hi, assistant(text('So')), user(result('a'))] },
      /messages\.2\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: a\./,
    ],
    [
      'two results for one call',
      { messages: [hi, assistant(call('a')), user(result('a'), result('a'))] },
      /single result/,
    ],
    [
      'two calls with one id',
      { messages: [hi, assistant(call('a'), call('a')), user(result('a'))] },
      /`tool_use` ids must be unique/,
    ],
    [
      'one id in two turns',
      { messages: [hi, assistant(call('a')), user(result('a')), assistant(call('a')), user(result('a'))] },
      /ids must be unique/,
    ],
    ['a call by the user', { messages: [user(call('a'))] }, /only be in `assistant`/],
    ['a result by the assistant', { messages: [hi, assistant(result('a')), hi] }, /only be in `user`/],
    [
      'a call with a bad name',
      { messages: [hi, assistant(call('a', 'not ok')), user(result('a'))] },
      /tool_use\.name: String should match/,
    ],
    [
      'a call whose input is text',
      { messages: [hi, assistant(call('a', 'now', '{}')), user(result('a'))] },
      /valid dictionary/,
    ],
    ['a tool with a bad name', { tools: [tool('a.b')] }, /tools\.0\.custom\.name: String should match pattern/],
    ['a tool with too long a name', { tools: [tool('a'.repeat(129))] }, /tools\.0\.custom\.name/],
    ['two tools with one name', { tools: [tool('a'), tool('a')] }, /names must be unique/],
    ['a tool without a schema', { tools: [{ name: 'a' }] }, /input_schema: Field required/],
    ['a tool whose schema is not an object', { tools: [tool('a', { type: 'string' })] }, /input_schema\.type/],
    ['a tool with a union at the top', { tools: [tool('a', { type: 'object', oneOf: [] })] }, /oneOf, allOf, or anyOf/],
    ['five cache breakpoints', { messages: [user(cached, cached, cached, cached, cached)] }, /maximum of 4 blocks/],
  ])('%s', async (_, change, message) => {
    const error = await client.messages.create({ ...request, ...change } as Params).catch((caught) => caught);
    expect(error).toMatchObject({ status: 400, error: { error: { type: 'invalid_request_error' } } });
    expect(error.message).toMatch(message);
    expect(script).not.toHaveBeenCalled();
  });

  it('not several calls with their results first and text after them', async () => {
    const messages = [
      hi,
      assistant(text('So'), call('a'), call('b')),
      user(result('b'), result('a', ''), text('And?')),
    ];
    const change = { messages, tools: [tool('now')] } as object;
    await expect(client.messages.create({ ...request, ...change } as Params)).resolves.toMatchObject({
      stop_reason: 'end_turn',
    });
  });

  it.each([
    ['a request without a key', 401, { 'x-api-key': '' }, '{}', '/v1/messages'],
    ['a request without a version', 400, { 'anthropic-version': '' }, '{}', '/v1/messages'],
    ['a body that is not JSON', 400, {}, '{', '/v1/messages'],
    ['another path', 404, {}, '{}', '/v1/complete'],
  ])('%s', async (_, status, change, body, path) => {
    const headers = { 'x-api-key': 'x', 'anthropic-version': '2023-06-01', ...change } as Record<string, string>;
    const response = await fetch(server.url + path, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      type: 'error',
      request_id: response.headers.get('request-id'),
    });
    expect(script).not.toHaveBeenCalled();
  });
});
