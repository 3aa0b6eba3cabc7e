import type { ContentBlock, TranscriptMessage } from '#core/transcript/transcript';
import { toRequest } from '#models/anthropic-request';
import type { ModelCall } from '#models/model';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const user = (...content: ContentBlock[]): TranscriptMessage => ({ role: 'user', content });

const request = (more: Partial<ModelCall>) =>
  toRequest({
    agent: 'a',
    model: 'claude-sonnet-5-5',
    maxTokens: 1_000,
    system: 'Be brief.',
    tools: [],
    messages: [user(text('Hi'))],
    signal: new AbortController().signal,
    onText: () => undefined,
    ...more,
  });

const BINDING = 'thinking-binding-controls-2026-08-01';
const UPDATES = 'thinking-display-updates-2026-08-18';
const TOOLS = 'inline-tools-2026-09-15';
const dropsBlocks = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };
const adaptive = { type: 'adaptive', display: 'updates', ...dropsBlocks };

it.each([
  ['claude-sonnet-5-5', undefined, adaptive, [TOOLS, BINDING, UPDATES]],
  ['claude-sonnet-5-5', 'off', { type: 'between_tools' }, [TOOLS]],
  ['claude-opus-5-5', 'off', adaptive, [TOOLS, BINDING, UPDATES]],
  ['claude-haiku-5-5', undefined, { type: 'adaptive', ...dropsBlocks }, [TOOLS, BINDING]],
  ['claude-haiku-5-5', 'off', { type: 'disabled' }, [TOOLS]],
  ['claude-sonnet-4-6', undefined, undefined, undefined],
  ['claude-sonnet-4-6', 'adaptive', { type: 'adaptive' }, undefined],
  ['claude-sonnet-4-6', 'off', { type: 'disabled' }, undefined],
] as const)('asks %s, with thinking %s, for thinking as that model takes it', (model, thinking, expected, betas) => {
  const { params, headers } = request({ model, thinking });
  expect(params.thinking).toEqual(expected);
  expect(headers['anthropic-beta']?.split(',')).toEqual(betas);
});

it('sends the effort of the agent file', () => {
  expect(request({ effort: 'low' }).params.output_config).toEqual({ effort: 'low' });
  expect(request({}).params).not.toHaveProperty('output_config');
});

describe('the cache points', () => {
  const call = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'look', input: {} });
  const result = (id: string): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
  const ids = Array.from({ length: 10 }, (_, index) => `call-${index}`);
  const turn = (name: string): TranscriptMessage[] => [
    { role: 'assistant', content: ids.map((id) => call(`${name}-${id}`)) },
    user(...ids.map((id) => result(`${name}-${id}`))),
  ];
  const notice: TranscriptMessage = { role: 'system', content: [text('changed')] };
  const messages = [user(text('Hi')), ...turn('a'), ...turn('b'), notice, ...turn('c')];

  /** The positions of blocks with a cache point, counted over all messages. */
  const points = (waitsForPeople: boolean) =>
    request({ messages, waitsForPeople })
      .params.messages.flatMap(({ content }) => content as { cache_control?: object }[])
      .flatMap(({ cache_control }, index) => (cache_control ? [[index, cache_control]] : []));

  it('are at the end of the last three requests, so that ten parallel calls stay within the look-back of 20 blocks', () => {
    expect(points(false)).toEqual([20, 41, 61].map((index) => [index, { type: 'ephemeral' }]));
  });

  it('last an hour if the agent may ask people', () => {
    expect(points(true)).toEqual([20, 41, 61].map((index) => [index, { type: 'ephemeral', ttl: '1h' }]));
    expect(request({ waitsForPeople: true }).params.system).toMatchObject([{ cache_control: { ttl: '1h' } }]);
  });
});
