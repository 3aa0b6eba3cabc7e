import { LLMock } from '@copilotkit/aimock';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { watchConversationEvents } from '#test/support/sse-client';
import { builtInTools } from '#tools/registry';

/** A mock of the Messages API that is not ours: what Parley assumes of the API must not come from its own demo model. */
describe('a conversation with the mocked API of @copilotkit/aimock', () => {
  let mock: LLMock;
  let p: TestParley;
  let lines: string[];

  beforeEach(async () => {
    mock = new LLMock({ port: 0, latency: 5, chunkSize: 4 });
    await mock.start();
    const diary = createRecordingTool();
    lines = diary.lines;
    p = await startParley({ tools: [...builtInTools, diary.tool], env: { ANTHROPIC_BASE_URL: mock.url } });
  });
  afterEach(async () => {
    await p.stop();
    await mock.stop();
  });

  const call = (line: string, more = {}) => ({ name: 'write_line', arguments: JSON.stringify({ line, ...more }) });

  it('streams thinking, text and parallel calls, sends the results back, and streams the reply', async () => {
    mock.on(
      { hasToolResult: false },
      { reasoning: 'Two.', content: 'I write.', toolCalls: [call('one'), call('two')] },
    );
    mock.on({ hasToolResult: true }, { content: 'Both lines are in the diary now.' });
    const id = await p.startConversation('Write');
    const watcher = await watchConversationEvents(p.url, id);
    await watcher.closed;
    expect((await p.getConversation(id)).result).toBe('Both lines are in the diary now.');
    expect([...lines].sort()).toEqual(['one', 'two']);
    const texts = watcher.events.flatMap((event) => (event.event === 'message' ? [event.data.text] : []));
    expect(texts.slice(-2)).toEqual(['Two.\n\nI write.', 'Both lines are in the diary now.']);
    expect(mock.getRequests().filter(({ path }) => path.startsWith('/v1/messages'))).toHaveLength(2);
  });

  it('tells the model of invalid arguments and failed tools, and continues', async () => {
    mock.on({ turnIndex: 0 }, { toolCalls: [{ name: 'write_line', arguments: '{"lime": 1}' }] });
    mock.on({ turnIndex: 1 }, { toolCalls: [call('three', { fail: true })] });
    mock.on({ turnIndex: 2 }, { content: 'The pen broke.' });
    const id = await p.startConversation('Write');
    expect((await p.waitForStatus(id, 'completed')).result).toBe('The pen broke.');
    const sent = JSON.stringify(mock.getLastRequest()?.body);
    expect(sent).toContain('The call to write_line is invalid');
    expect(sent).toContain('the pen broke at three');
  });

  it('retries an overloaded API, and fails clearly on a rejected request', async () => {
    mock.on({}, { content: 'At last.' });
    mock.nextRequestError(529, { type: 'overloaded_error', message: 'Overloaded' });
    const id = await p.startConversation('Hello');
    expect((await p.waitForStatus(id, 'completed')).result).toBe('At last.');
    mock.nextRequestError(400, { type: 'invalid_request_error', message: 'no way' });
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Again' });
    expect((await p.waitForStatus(id, 'failed')).error).toMatchObject({
      code: 'model_rejected',
      message: expect.stringContaining('no way'),
    });
  });
});
