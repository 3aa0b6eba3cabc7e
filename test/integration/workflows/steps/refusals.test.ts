import type { ConversationTimeline } from '#contract/timeline';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

const REASON = 'This could enable harm.';
const refusal = {
  text: 'Let me',
  calls: [{ name: 'write_line', input: { line: 'refused' } }],
  stopReason: 'refusal',
  stopDetails: { category: 'cyber' as const, explanation: REASON },
};

describe('a model that refuses', () => {
  let p: TestParley;
  let lines: string[];
  afterEach(() => p.stop());

  async function start(frontMatter: string, replies: Parameters<typeof startParley>[0]): Promise<string> {
    const diary = createRecordingTool();
    lines = diary.lines;
    const tools = [...builtInTools, diary.tool];
    p = await startParley({ ownWorker: true, tools, frontMatter, ...replies });
    return p.startConversation('Break in');
  }
  const sentMessages = () => p.model.requests.map(({ body }) => JSON.stringify(body.messages));

  it('runs no call of the refused reply, says why, and a further message works without what was refused', async () => {
    const id = await start('', { replies: [refusal, replyWithText('Gladly.')] });
    const { error } = await p.waitForStatus(id, 'failed');
    expect(error).toEqual({ code: 'model_refused', message: `claude-sonnet-5-5 refused to reply: ${REASON}` });
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Lock up instead' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('Gladly.');
    expect(lines).toEqual([]);
    expect(sentMessages()[1]).toContain('Lock up instead');
    expect(sentMessages()[1]).not.toMatch(/Break in|Let me/);
  });

  it('keeps the results before a refused one in place, so that the transcript stays valid', async () => {
    const write = (line: string) => replyWithToolCalls({ name: 'write_line', input: { line } });
    const id = await start('', { replies: [write('one'), write('two'), refusal, replyWithText('done')] });
    await p.waitForStatus(id, 'failed');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Never mind' });
    await p.waitForStatus(id, 'completed');
    expect(lines).toEqual(['one', 'two']);
    expect(sentMessages()[3]).toMatch(/Break in[\s\S]*wrote one/);
    expect(sentMessages()[3]).not.toContain('wrote two');
  });

  it('is replaced by the fallback model until the next message, and the timeline says so', async () => {
    const replies = [refusal, replyWithText('I can.'), replyWithText('Back again.')];
    const id = await start('fallbackModel: claude-opus-5-5', { replies });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('I can.');
    const { body } = await p.call<ConversationTimeline>('GET', `/v1/conversations/${id}/timeline`);
    expect(body.items.filter(({ kind }) => kind === 'notice')).toEqual([
      expect.objectContaining({
        channel: 'model',
        what: `claude-sonnet-5-5 refused to reply: ${REASON} claude-opus-5-5 replies instead.`,
      }),
    ]);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Thanks' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('Back again.');
    const models = p.model.requests.map(({ body }) => body.model);
    expect(models).toEqual(['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-sonnet-5-5']);
    expect(sentMessages()[1]).toContain('Break in');
    expect(lines).toEqual([]);
  });

  it('ends the conversation if the fallback model refuses too', async () => {
    const id = await start('fallbackModel: claude-opus-5-5', { replies: [refusal, refusal] });
    expect((await p.waitForStatus(id, 'failed')).error?.message).toBe(`claude-opus-5-5 refused to reply: ${REASON}`);
    p.model.expectAllRepliesUsed();
  });
});
