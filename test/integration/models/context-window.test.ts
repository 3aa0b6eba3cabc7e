import { createAnthropicModel } from '#models/anthropic';
import { demoScript } from '#models/demo/script';
import { type DemoModelServer, startDemoModelServer } from '#models/demo/server';
import type { Model, ModelCall } from '#models/model';
import { SUMMARY_PROMPT } from '#models/prompts/summary';
import { replyWithError, replyWithText } from '#test/support/scripted-model';

const text = (value: string) => ({ type: 'text' as const, text: value });
const call = (messages: ModelCall['messages'] = [{ role: 'user', content: [text('Hello')] }]): ModelCall => ({
  agent: 'an-agent',
  model: 'a-model',
  maxTokens: 1_000,
  system: 'You help.',
  tools: [],
  messages,
  signal: new AbortController().signal,
  onText: () => undefined,
});

describe("the model's context window", () => {
  let server: DemoModelServer;
  let model: Model;
  afterEach(() => server.stop());

  async function start(...options: Parameters<typeof startDemoModelServer>): Promise<void> {
    server = await startDemoModelServer(...options);
    model = createAnthropicModel({ apiKey: 'x', baseURL: server.url });
  }

  it('is read from the Models API, beside a call', async () => {
    await start(() => replyWithText('Hi'), { contextWindow: 123_456 });
    await model.generate(call());
    for (;;) {
      const window = model.contextWindow('a-model');
      if (window === undefined) await new Promise((resolve) => setImmediate(resolve));
      else return void expect(window).toBe(123_456);
    }
  });

  it('stays unknown if a gateway lacks that endpoint', async () => {
    await start(() => replyWithText('Hi'));
    const gateway = createAnthropicModel({ apiKey: 'x', baseURL: `${server.url}/nowhere` });
    await expect(gateway.generate(call())).rejects.toMatchObject({ code: 'model_rejected' });
    expect(gateway.contextWindow('a-model')).toBeUndefined();
  });

  it.each([
    ['prompt is too long: 208656 tokens > 200000 maximum', { tokens: 208_656, limit: 200_000 }],
    [
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length',
      { tokens: 178_959, limit: 200_000 },
    ],
    ['Prompt is too long', {}],
    [
      "litellm.ContextWindowExceededError: OpenAIException - This model's maximum context length is 8192 tokens.",
      { limit: 8_192 },
    ],
    ['litellm.ContextWindowExceededError: the request exceeds the available context size', {}],
    ['messages: text content blocks must be non-empty', undefined],
  ])('is read from an error: %s', async (message, overflow) => {
    await start(() => replyWithError(400, { message }));
    const error = await model.generate(call()).catch((reason) => reason);
    expect([error.code, error.overflow]).toEqual(['model_rejected', overflow]);
  });

  it('is enforced by the demo model, which rejects longer requests as the API does', async () => {
    await start(() => replyWithText('never'), { contextWindow: 100 });
    const long = call([{ role: 'user', content: [text('word '.repeat(200))] }]);
    await expect(model.generate(long)).rejects.toMatchObject({ overflow: { limit: 100 } });
  });

  it('does not stop the demo: its model summarizes, the same each time, and continues from there', async () => {
    await start((...args) => ({ ...demoScript(...args), chunkMs: 0 }));
    const summaryRequest: ModelCall['messages'] = [
      { role: 'user', content: [text('Plan our offsite')] },
      { role: 'assistant', content: [text('Gladly.')] },
      { role: 'user', content: [text('By the sea'), text(SUMMARY_PROMPT)] },
    ];
    const [first, second] = [await model.generate(call(summaryRequest)), await model.generate(call(summaryRequest))];
    expect(first.content).toEqual(second.content);
    expect(first.content).toEqual([expect.objectContaining({ text: expect.stringContaining('By the sea') })]);
    expect(first.usage.inputTokens).toBeGreaterThan(300);
    const compacted = [
      text('[Parley: the earlier part of this conversation was summarised'),
      text('<past_summary>Much.</past_summary>'),
      text('<past_message>Plan our offsite</past_message>'),
      text('<past_message>Thanks</past_message>'),
    ];
    const next = await model.generate(call([{ role: 'user', content: compacted }]));
    expect(next.content).toEqual([expect.objectContaining({ text: expect.stringContaining('Hello!') })]);
  });
});
