import type { ConversationTimeline } from '#contract/timeline';
import type { ModelRequest } from '#models/demo/reply';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithError, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

const BOUND_ELSEWHERE =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';

const thinkingIn = ({ body }: ModelRequest) => JSON.stringify(body.messages).match(/"type":"thinking"/g) ?? [];

describe('thinking that is bound to what was before it', () => {
  let p: TestParley;
  afterEach(() => p.stop());

  const send = (id: string, text: string) => p.call('POST', `/v1/conversations/${id}/messages`, { text });

  it('is sent back as it was received, with the blank texts between', async () => {
    const content = [
      { type: 'thinking' as const, thinking: '', signature: '' },
      { type: 'text' as const, text: ' ' },
      { type: 'redacted_thinking' as const, data: '' },
      { type: 'tool_use' as const, id: 'call-1', name: 'write_todos', input: { todos: [] } },
    ];
    p = await startParley({ replies: [{ content }, replyWithText('done')] });
    await p.waitForStatus(await p.startConversation(), 'completed');
    const { body } = await p.model.waitForRequest(1);
    expect(body.messages[1]?.content).toEqual([
      { type: 'thinking', thinking: '', signature: expect.stringMatching(/^claude/) },
      { type: 'text', text: ' ' },
      { type: 'redacted_thinking', data: expect.stringMatching(/^claude/) },
      { type: 'tool_use', id: 'call-1', name: 'write_todos', input: { todos: [] } },
    ]);
  });

  it('is removed for good if the API rejects it once, and the timeline says so', async () => {
    p = await startParley({
      replies: [
        replyWithText('one'),
        replyWithError(400, { message: BOUND_ELSEWHERE }),
        replyWithToolCalls({ name: 'write_todos', input: { todos: [] } }),
        replyWithText('two'),
        replyWithText('three'),
      ],
    });
    const id = await p.startConversation();
    await p.waitForStatus(id, 'completed');
    await send(id, 'Again');
    expect((await p.waitForStatus(id, 'completed')).result).toBe('two');
    await send(id, 'And again');
    expect((await p.waitForStatus(id, 'completed')).result).toBe('three');
    expect(p.model.requests.map((request) => thinkingIn(request).length)).toEqual([0, 1, 0, 1, 2]);
    const { body } = await p.call<ConversationTimeline>('GET', `/v1/conversations/${id}/timeline`);
    expect(body.items.filter(({ kind }) => kind === 'notice')).toEqual([
      expect.objectContaining({ channel: 'model', what: expect.stringContaining('Continued without it') }),
    ]);
  });

  it('is not removed again and again: a rejection without any fails the conversation', async () => {
    p = await startParley({ replies: [replyWithError(400, { message: BOUND_ELSEWHERE })] });
    expect((await p.waitForStatus(await p.startConversation(), 'failed')).error?.code).toBe('model_rejected');
    p.model.expectAllRepliesUsed();
  });
});
