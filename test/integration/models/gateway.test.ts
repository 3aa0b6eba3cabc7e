import { createAnthropicModel } from '#models/anthropic';
import type { ModelCall } from '#models/model';
import { replyWithError, replyWithText, type ScriptedModel, startScriptedModel } from '#test/support/scripted-model';

const call: ModelCall = {
  agent: 'a',
  model: 'claude-sonnet-5-5',
  maxTokens: 1_000,
  system: 'Be brief.',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  waitsForPeople: true,
  signal: new AbortController().signal,
  onText: () => undefined,
};

describe('a gateway without the newer features of the API', () => {
  let server: ScriptedModel;
  afterEach(() => server.stop());

  it.each([
    'Unexpected value(s) `inline-tools-2026-09-15` for the `anthropic-beta` header.',
    'invalid beta flag',
    'thinking.adaptive.display: Extra inputs are not permitted',
  ])('is asked again without them, and from then on: %s', async (message) => {
    server = await startScriptedModel([replyWithError(400, { message }), replyWithText('one'), replyWithText('two')]);
    const model = createAnthropicModel({ apiKey: 'x', baseURL: server.url });
    expect((await model.generate(call)).stopReason).toBe('end_turn');
    await model.generate(call);
    expect(server.requests.map(({ headers }) => headers['anthropic-beta'] !== undefined)).toEqual([true, false, false]);
    const [, second] = server.requests;
    expect(second?.body).not.toHaveProperty('thinking');
    expect(JSON.stringify(second?.body)).not.toContain('"ttl"');
  });

  it('keeps them if that does not help', async () => {
    const rejected = replyWithError(400, { message: 'tools.0.x: Extra inputs are not permitted' });
    server = await startScriptedModel([rejected, rejected, replyWithText('one')]);
    const model = createAnthropicModel({ apiKey: 'x', baseURL: server.url });
    await expect(model.generate(call)).rejects.toThrow('Extra inputs');
    await model.generate(call);
    expect(server.requests[2]?.headers['anthropic-beta']).toBeDefined();
  });
});
