import { createAnthropicModel } from '#models/anthropic';
import type { ScriptedReply } from '#models/demo/reply';
import { type DemoModelServer, startDemoModelServer } from '#models/demo/server';
import type { ModelResponse } from '#models/model';
import { createLatch } from '#test/support/scripted-model';

/** Minutes pass at once here; the sockets are real. */
describe('a model that writes nothing', () => {
  let server: DemoModelServer;
  let reply: Promise<ModelResponse>;
  let chunks: number;

  async function ask(scripted: ScriptedReply): Promise<void> {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    server = await startDemoModelServer(() => scripted);
    chunks = 0;
    const realFetch = globalThis.fetch;
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (...args) => {
      const response = await realFetch(...args);
      const count = new TransformStream({
        transform(chunk, out) {
          chunks += 1;
          out.enqueue(chunk);
        },
      });
      return new Response(response.body?.pipeThrough(count), response);
    });
    reply = createAnthropicModel({ apiKey: 'x', baseURL: server.url }).generate({
      agent: 'an-agent',
      model: 'a-model',
      maxTokens: 1_000,
      system: 'You help.',
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      signal: new AbortController().signal,
      onText: () => undefined,
    });
    reply.catch(() => undefined);
  }

  /** Fails if the call does. */
  async function waitUntil(condition: () => boolean): Promise<void> {
    while (!condition())
      await Promise.race([reply.then(() => undefined), new Promise((resolve) => setImmediate(resolve))]);
  }

  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await server.stop();
  });

  it('is left to think for ten minutes while it pings', async () => {
    const { hold, release } = createLatch();
    await ask({ text: 'at last', hold, holdAfter: 2 });
    await waitUntil(() => chunks > 0);
    for (let minute = 0; minute < 10; minute += 0.5) {
      const before = chunks;
      jest.advanceTimersByTime(30_000);
      await waitUntil(() => chunks > before);
    }
    release();
    expect((await reply).content).toEqual([{ type: 'text', text: 'at last' }]);
  });

  it('is given up after two minutes without a byte', async () => {
    await ask({ text: 'never', hold: new Promise(() => undefined) });
    await waitUntil(() => server.requests.length > 0);
    jest.advanceTimersByTime(120_000);
    await expect(reply).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('120 seconds'),
    });
  });
});
