import {
  dropThinking,
  hasPreservedThinking,
  type PinnedPrefix,
  type PromptPrefix,
  preparePrompt,
} from '#core/transcript/prefix';
import type { ContentBlock, ToolDefinition, TranscriptMessage } from '#core/transcript/transcript';

const tool = (name: string, description = name): ToolDefinition => ({
  name,
  description,
  input_schema: { type: 'object' },
});
const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const thinking = (value: string): ContentBlock => ({ type: 'thinking', thinking: value, signature: `signed ${value}` });
const user = (value: string): TranscriptMessage => ({ role: 'user', content: [text(value)] });
const reply = (...content: ContentBlock[]): TranscriptMessage => ({ role: 'assistant', content });

const first: PromptPrefix = { system: 'Be brief.', status: '', tools: [tool('ask'), tool('web__read')] };
const withoutServer: PromptPrefix = { ...first, status: 'Unavailable: web.', tools: [tool('ask')] };
const upgraded: PromptPrefix = {
  ...first,
  system: 'Be very brief.',
  tools: [tool('ask', 'better'), tool('web__read')],
};
const messages = [user('Hi'), reply(thinking('a'), text('Hello')), user('Go on')];

/** The transcript after a reply to this call. */
function replyTo(current: PromptPrefix, pinned: PinnedPrefix, before: TranscriptMessage[]): TranscriptMessage[] {
  const { update } = preparePrompt(current, pinned, before, true);
  const notice: TranscriptMessage[] = update.notice ? [{ role: 'system', content: update.notice }] : [];
  return [...before, ...notice, reply(thinking('b'), text('Done')), user('And now?')];
}

describe('the prefix of a model call', () => {
  it('is pinned as it was sent first', () => {
    expect(preparePrompt(first, undefined, messages, true)).toEqual({
      prefix: first,
      messages,
      update: { pinned: first },
    });
  });

  it('stays as it is when an MCP server goes, and a system message tells what is gone', () => {
    const { prefix, messages: sent, update } = preparePrompt(withoutServer, first, messages, true);
    expect(prefix).toEqual(first);
    expect(sent).toEqual([...messages, { role: 'system', content: update.notice }]);
    expect(update.notice).toEqual([
      text('[Parley: what is available has changed.]\n\nUnavailable: web.'),
      { type: 'tool_removal', tool: { type: 'tool_reference', name: 'web__read' } },
    ]);
  });

  it('tells each change once, and what is back', () => {
    const gone = replyTo(withoutServer, first, messages);
    expect(preparePrompt(withoutServer, first, gone, true)).toEqual({ prefix: first, messages: gone, update: {} });
    expect(preparePrompt(first, first, gone, true).update.notice).toEqual([
      text('[Parley: what is available has changed.]\n\nAll MCP servers are available.'),
      { type: 'tool_addition', tool: { type: 'tool_definition', definition: tool('web__read') } },
    ]);
    const back = replyTo(first, first, gone);
    expect(preparePrompt(first, first, back, true).update).toEqual({});
  });

  it('tells the new instructions and descriptions of another version', () => {
    expect(preparePrompt(upgraded, first, messages, true).update.notice).toEqual([
      text('[Parley: your instructions have changed. These replace all of those at the beginning.]\n\nBe very brief.'),
      { type: 'tool_addition', tool: { type: 'tool_definition', definition: tool('ask', 'better') } },
    ]);
    expect(preparePrompt(upgraded, first, replyTo(upgraded, first, messages), true).update).toEqual({});
  });

  it('is replaced, without the thinking behind it, if the model reads no such messages', () => {
    const { update, ...call } = preparePrompt(first, undefined, messages, false);
    expect(call).toEqual({ prefix: first, messages });
    expect(update.pinned).toEqual({ digest: expect.stringMatching(/^sha256:/) });
    expect(preparePrompt(first, update.pinned, messages, false)).toEqual({ prefix: first, messages, update: {} });
    expect(preparePrompt(withoutServer, update.pinned, messages, false)).toEqual({
      prefix: withoutServer,
      messages: [user('Hi'), reply(text('Hello')), user('Go on')],
      update: { pinned: { digest: expect.stringMatching(/^sha256:/) } },
    });
  });

  it('is replaced if it is too large to keep, or the change is too long to append', () => {
    const large = { ...first, tools: [tool('ask', 'x'.repeat(260_000))] };
    expect(preparePrompt(large, undefined, messages, true).update.pinned).toHaveProperty('digest');
    const long = { ...first, system: 'x'.repeat(110_000) };
    expect(preparePrompt(long, first, messages, true)).toMatchObject({ prefix: long, update: { pinned: long } });
  });
});

it('drops thinking with the notices of changes, and replies of which nothing is left', () => {
  const notice: TranscriptMessage = { role: 'system', content: [text('changed')] };
  const redacted: ContentBlock = { type: 'redacted_thinking', data: 'x' };
  expect(
    dropThinking([
      user('Hi'),
      notice,
      reply(thinking('a'), text(' '), redacted, text('So')),
      user('?'),
      reply(redacted),
    ]),
  ).toEqual([user('Hi'), reply(text('So')), user('?')]);
});

it('joins the user messages around a reply that was only thinking, as the model’s API has roles alternate', () => {
  const joined = { role: 'user', content: [text('Hi'), text('Are you there?')] };
  const answered = reply(text('Yes'));
  expect(dropThinking([user('Hi'), reply(thinking('a')), user('Are you there?'), answered])).toEqual([
    joined,
    answered,
  ]);
});

it.each([
  ['claude-sonnet-5-5', true],
  ['claude-opus-5-5-20260922', true],
  ['anthropic/claude-haiku-5.5', true],
  ['claude-fable-5-1', true],
  ['claude-sonnet-6', true],
  ['claude-fable-5', false],
  ['claude-opus-5', false],
  ['claude-opus-4-20250514', false],
  ['claude-3-7-sonnet-latest', false],
  ['gpt-5.5', false],
])('knows whether %s has preserved thinking: %s', (model, expected) => {
  expect(hasPreservedThinking(model)).toBe(expected);
});
