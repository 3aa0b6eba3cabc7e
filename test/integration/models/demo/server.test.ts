import Anthropic from '@anthropic-ai/sdk';
import type { ModelScript, ScriptedReply } from '#models/demo/reply';
import { type DemoModelServer, startDemoModelServer } from '#models/demo/server';
import {
  lastToolResults,
  replyWithError,
  replyWithQuestion,
  replyWithText,
  replyWithToolCalls,
  startScriptedModel,
} from '#test/support/scripted-model';

type Params = Anthropic.MessageCreateParamsNonStreaming;

const request = {
  model: 'demo',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Plan our team offsite' }],
} satisfies Params;

let servers: DemoModelServer[] = [];

async function start(script: ModelScript): Promise<DemoModelServer> {
  const server = await startDemoModelServer(script);
  servers.push(server);
  return server;
}

function createClient({ url }: DemoModelServer): Anthropic {
  return new Anthropic({ apiKey: 'x', baseURL: url, maxRetries: 0 });
}

async function startClientFor(reply: ScriptedReply): Promise<Anthropic> {
  return createClient(await start(() => reply));
}

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

describe('a reply', () => {
  const calls = [
    {
      name: 'look_up',
      input: { city: 'Zürich', days: [1, 2], note: '"quoted" 🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂' },
    },
    { name: 'now', input: {}, id: 'toolu_mine' },
  ];

  it('is the same streamed and unstreamed', async () => {
    const client = await startClientFor({ text: '  Two lines\n\nand a 🎉 word', calls });
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();

    expect(whole).toMatchObject({
      model: 'demo',
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: '  Two lines\n\nand a 🎉 word' },
        { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'look_up', input: calls[0]?.input },
        { type: 'tool_use', id: 'toolu_mine', name: 'now', input: {} },
      ],
    });
    const withoutIds = (message: Anthropic.Message) => ({
      ...message,
      id: '',
      content: message.content.map((block) => ({ ...block, id: '' })),
    });
    expect(withoutIds(streamed)).toMatchObject(withoutIds(whole));
  });

  it('streams the events of the API in order', async () => {
    const client = await startClientFor({ text: 'Hello there', calls: [{ name: 'now', input: { utc: true } }] });
    const events: Anthropic.RawMessageStreamEvent[] = [];
    for await (const event of await client.messages.create({ ...request, stream: true })) events.push(event);

    const names = events.map((event) => (event.type === 'content_block_delta' ? event.delta.type : event.type));
    expect(names).toEqual([
      'message_start',
      'content_block_start',
      'text_delta',
      'content_block_stop',
      'content_block_start',
      'input_json_delta',
      'input_json_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: expect.any(Number) },
    });
  });

  it('sends a ping, and the request id in a header', async () => {
    const { url } = await start(() => replyWithText('Hi'));
    const headers = { 'x-api-key': 'x', 'anthropic-version': '2023-06-01' };
    const body = JSON.stringify({ ...request, stream: true });
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
    expect(response.headers.get('request-id')).toMatch(/^req_/);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('event: ping\ndata: {"type":"ping"}\n\n');
  });

  it('has new tool ids every time, and usage that depends on the length', async () => {
    const client = await startClientFor({ text: 'x'.repeat(400), calls: [{ name: 'now', input: {} }] });
    const long = { ...request, messages: [{ role: 'user' as const, content: 'word '.repeat(1000) }] };
    const [first, second] = [await client.messages.create(request), await client.messages.create(long)];
    expect(first.content[1]).not.toEqual(second.content[1]);
    expect(first.usage.output_tokens).toBeGreaterThan(100);
    expect(second.usage.input_tokens).toBeGreaterThan(1200);
    expect(first.usage.input_tokens).toBeLessThan(100);
  });

  it('has content, stop reason and usage from the script', async () => {
    const content = [{ type: 'thinking' as const, thinking: 'Hm, let me see', signature: 'sig' }];
    const client = await startClientFor({
      content,
      stopReason: 'max_tokens',
      usage: { input_tokens: 7, output_tokens: 9 },
    });
    for (const message of [
      await client.messages.create(request),
      await client.messages.stream(request).finalMessage(),
    ]) {
      expect(message.content).toEqual(content);
      expect(message.stop_reason).toBe('max_tokens');
      expect(message.usage).toMatchObject({ input_tokens: 7, output_tokens: 9 });
    }
  });

  it('arrives in pieces in a slow stream, and pauses where it is held', async () => {
    let release = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const client = await startClientFor({
      text: 'one two three four five six seven eight',
      chunkMs: 2,
      hold,
      holdAfter: 4,
    });
    const stream = client.messages.stream(request);
    const seen = await new Promise<string>((resolve) => stream.once('text', resolve));
    expect(seen).toBe('one two three four five');
    release();
    expect(await stream.finalText()).toBe('one two three four five six seven eight');
  });

  it('does not start before its latch opens', async () => {
    const order: string[] = [];
    const hold = Promise.resolve().then(() => order.push('released'));
    const client = await startClientFor({ text: 'Hi', hold, delayMs: 1 });
    await client.messages.create(request).then(() => order.push('replied'));
    expect(order).toEqual(['released', 'replied']);
  });
});

describe('a failure', () => {
  it.each([
    [429, 'rate_limit_error'],
    [529, 'overloaded_error'],
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [500, 'api_error'],
  ])('with status %i has the type %s and the message of the script', async (status, type) => {
    const client = await startClientFor(replyWithError(status, { message: 'Not now', retryAfter: 3 }));
    for (const call of [client.messages.create(request), client.messages.stream(request).finalMessage()]) {
      const error = await call.catch((caught) => caught);
      expect(error).toBeInstanceOf(Anthropic.APIError);
      expect(error).toMatchObject({ status, requestID: expect.stringMatching(/^req_/) });
      expect(error.error).toMatchObject({
        type: 'error',
        error: { type, message: 'Not now' },
        request_id: error.requestID,
      });
      expect(error.headers.get('retry-after')).toBe('3');
    }
  });

  it('can cut the stream', async () => {
    const server = await start(() => ({ text: 'one two three four five six seven eight', cutAfter: 4 }));
    const stream = createClient(server).messages.stream(request);
    const seen: string[] = [];
    stream.on('text', (text) => seen.push(text));
    await expect(stream.finalMessage()).rejects.toThrow(Anthropic.AnthropicError);
    expect(seen).toEqual(['one two three four five']);
    expect(server.requests[0]?.aborted).toBe(false);
  });

  it('can cut a reply that is not streamed', async () => {
    const client = await startClientFor({ text: 'Hi', cutAfter: 0 });
    await expect(client.messages.create(request)).rejects.toThrow(Anthropic.APIConnectionError);
  });

  it('can be an event within the stream', async () => {
    const client = await startClientFor({ text: 'one two three four five six seven eight', errorAfter: 4 });
    await expect(client.messages.stream(request).finalMessage()).rejects.toMatchObject({
      type: 'overloaded_error',
    });
  });

  it('of the script itself is a 500 that says so', async () => {
    const server = await start(() => {
      throw new Error('a slip in the script');
    });
    const call = createClient(server).messages.create(request);
    await expect(call).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining('a slip in the script'),
    });
  });
});

describe('a client that disconnects', () => {
  it('is noticed during a stream', async () => {
    const server = await start(() => ({
      text: 'one two three four five six',
      hold: new Promise(() => {}),
      holdAfter: 4,
    }));
    const stream = createClient(server).messages.stream(request);
    stream.once('text', () => stream.abort());
    await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIUserAbortError);
    await server.requests[0]?.closed;
    expect(server.requests[0]?.aborted).toBe(true);
  });

  it('is noticed before the reply has started', async () => {
    const model = await startScriptedModel([{ text: 'Hi', hold: new Promise(() => {}) }]);
    const abort = new AbortController();
    const call = createClient(model).messages.create(request, { signal: abort.signal });
    const caught = call.catch((error) => error);
    const received = await model.waitForRequest(0);
    abort.abort();
    expect(await caught).toBeInstanceOf(Anthropic.APIUserAbortError);
    await received.closed;
    expect(received.aborted).toBe(true);
    await model.stop();
  });

  it('is not one that has the whole reply, nor one that the server stopped on', async () => {
    const held = { text: 'Hi', hold: new Promise(() => {}) };
    const model = await startScriptedModel([replyWithText('Hi'), held]);
    const client = createClient(model);
    await client.messages.create(request);
    const cut = client.messages.create(request).catch((error) => error);
    await model.waitForRequest(1);
    await model.stop();
    expect(await cut).toBeInstanceOf(Anthropic.APIConnectionError);
    expect(model.requests.map(({ aborted }) => aborted)).toEqual([false, false]);
  });
});

describe('a scripted model', () => {
  it('plays its replies in order and records its requests', async () => {
    const model = await startScriptedModel([
      replyWithQuestion('Which colour?', 'Red', 'Blue'),
      (sent) => replyWithText(lastToolResults(sent)[0]?.text ?? ''),
    ]);
    const client = createClient(model);
    const first = await client.messages.create(request);
    const [toolUse] = first.content.filter((block) => block.type === 'tool_use');
    expect(toolUse?.input).toEqual({
      questions: [{ question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }],
    });
    const content = [
      {
        type: 'tool_result' as const,
        tool_use_id: toolUse?.id ?? '',
        content: [{ type: 'text' as const, text: 'Red' }],
      },
    ];
    const messages = [
      ...request.messages,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content },
    ];
    const second = await client.messages.create({ ...request, messages });
    expect(second.content).toMatchObject([{ text: 'Red' }]);
    expect(model.requests.map(({ body }) => body.messages.length)).toEqual([1, 3]);
    model.expectAllRepliesUsed();
    await model.stop();
  });

  it('fails loudly when its script has ended', async () => {
    const model = await startScriptedModel([replyWithToolCalls({ name: 'now', input: {} })]);
    const client = createClient(model);
    await client.messages.create(request);
    const message = 'the script has ended: request 2 was not expected';
    await expect(client.messages.create(request)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
    expect(() => model.expectAllRepliesUsed()).toThrow(message);
    await expect(model.stop()).rejects.toThrow(/request 2 was not expected[\s\S]*Plan our team offsite/);
  });

  it('fails loudly if a reply throws, and if replies are left over', async () => {
    const model = await startScriptedModel([
      () => {
        throw new Error('not what I expected');
      },
    ]);
    expect(() => model.expectAllRepliesUsed()).toThrow('1 of 1 replies were never asked for');
    await expect(createClient(model).messages.create(request)).rejects.toMatchObject({ status: 400 });
    await expect(model.stop()).rejects.toThrow('not what I expected');
  });
});
