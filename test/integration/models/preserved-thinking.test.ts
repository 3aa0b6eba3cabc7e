import type { ContentBlock, TranscriptMessage } from '#core/transcript/transcript';
import { createAnthropicModel } from '#models/anthropic';
import { type Model, type ModelCall, ModelError } from '#models/model';
import { replyWithText, type ScriptedModel, startScriptedModel } from '#test/support/scripted-model';

const user = (text: string): TranscriptMessage => ({ role: 'user', content: [{ type: 'text', text }] });

/** The demo model checks thinking as the API does, so that tests see what the API would reject. */
describe('the thinking of the demo model', () => {
  let server: ScriptedModel;
  let model: Model;
  let conversation: TranscriptMessage[];

  const generate = (messages: TranscriptMessage[], more: Partial<ModelCall> = {}) =>
    model.generate({
      agent: 'a',
      model: 'claude-sonnet-5-5',
      maxTokens: 1_000,
      system: 'Be brief.',
      tools: [],
      messages,
      signal: new AbortController().signal,
      onText: () => undefined,
      ...more,
    });
  const withoutThinking = ({ role, content }: TranscriptMessage): TranscriptMessage => ({
    role,
    content: content.filter(({ type }) => type !== 'thinking'),
  });

  beforeEach(async () => {
    server = await startScriptedModel(Array(10).fill(replyWithText('Yes.')));
    server.mayRejectThinking = true;
    model = createAnthropicModel({ apiKey: 'x', baseURL: server.url });
    conversation = [];
    for (const text of ['one', 'two', 'three']) {
      conversation.push(user(text));
      const { content } = await generate(conversation);
      conversation.push({ role: 'assistant', content });
    }
    conversation.push(user('four'));
  });
  afterEach(() => server.stop());

  const changed = (index: number, message: TranscriptMessage) => conversation.with(index, message);

  it('is valid behind what it was written after, also without the oldest of it', async () => {
    expect(conversation[1]?.content.map(({ type }: ContentBlock) => type)).toEqual(['thinking', 'text']);
    expect((await generate(conversation)).droppedThinking).toBe(0);
    const first = conversation[1] as TranscriptMessage;
    expect((await generate(changed(1, withoutThinking(first)))).droppedThinking).toBe(0);
  });

  it.each<[string, number, () => [TranscriptMessage[], Partial<ModelCall>?]]>([
    ['the system prompt', 3, () => [conversation, { system: 'Be very brief.' }]],
    [
      'the tools',
      3,
      () => [conversation, { tools: [{ name: 'a', description: 'a', input_schema: { type: 'object' } }] }],
    ],
    ['an earlier message', 2, () => [changed(2, user('2'))]],
    [
      'thinking in between that is missing',
      1,
      () => [changed(3, withoutThinking(conversation[3] as TranscriptMessage))],
    ],
  ])('is dropped and counted behind a change: %s', async (_what, dropped, build) => {
    expect((await generate(...build())).droppedThinking).toBe(dropped);
  });

  it('is rejected with the error of the API where the request cannot ask to drop it', async () => {
    const error = await generate(changed(2, user('2')), { thinking: 'off' }).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      code: 'model_rejected',
      isHistoryRejected: true,
      message: expect.stringContaining('messages.3.content.0: Invalid `signature` in `thinking` block.'),
    });
  });

  it('is left out for another model, which is no fault', async () => {
    expect((await generate(conversation, { model: 'claude-opus-5-5' })).droppedThinking).toBe(0);
    expect(server.requests.at(-1)?.invalidThinking).toHaveLength(3);
  });
});
