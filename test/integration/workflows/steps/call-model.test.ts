import { tsToMs } from '@temporalio/common/lib/time';
import { eventually } from '#test/support/eventually';
import { WITHOUT_ENCRYPTION } from '#test/support/parley/encryption';
import { shortenActivityRetries, startParley, type TestParley } from '#test/support/parley/start-parley';
import {
  createLatch,
  replyWithError,
  replyWithQuestion,
  replyWithText,
  replyWithToolCalls,
} from '#test/support/scripted-model';
import { watchConversationEvents } from '#test/support/sse-client';

describe('calling the model', () => {
  let p: TestParley;
  afterEach(() => p.stop());

  it('sends the prompt with the rules for asking, the tools, and cache breakpoints', async () => {
    p = await startParley({ ownWorker: true, replies: [replyWithText('Hi')] });
    await p.waitForStatus(await p.startConversation('Hello'), 'completed');
    const { body } = await p.model.waitForRequest(0);
    const { model, max_tokens, stream, system, tools, messages } = body as unknown as Record<string, never[]> & {
      model: string;
    };
    expect({ model, max_tokens, stream }).toEqual({
      model: 'claude-sonnet-5-5',
      max_tokens: 32_000,
      stream: true,
    });
    expect(system).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(/^You are t-\w+\.[\s\S]*Do not ask when/),
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
    ]);
    expect(tools?.map((tool: { name: string }) => tool.name)).toEqual([
      'ask_user_question',
      'confirm_action',
      'write_todos',
    ]);
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    ]);
  });

  it('waits as retry-after says on 429, and continues after 529 and interrupted streams', async () => {
    const replies = [
      replyWithError(429, { retryAfter: 600 }),
      replyWithError(529, { retryAfter: 0 }),
      { text: 'never seen', cutAfter: 4 },
      { text: 'never seen either', errorAfter: 4 },
      replyWithText('at last'),
    ];
    p = await startParley({ ownWorker: true, replies });
    const id = await p.startConversation();
    const waiting = await eventually(async () => {
      const { raw } = await p.client.workflow.getHandle(id).describe();
      expect(raw.pendingActivities?.[0]?.lastFailure).toBeTruthy();
      return raw.pendingActivities?.[0];
    });
    const retriesAt = tsToMs(waiting?.nextAttemptScheduleTime);
    const watcher = await watchConversationEvents(p.url, id);
    const told = await watcher.waitForEvent((event) => event.event === 'delta' && event.data.retry !== undefined);
    const retry = { at: new Date(retriesAt).toISOString(), reason: 'model_overloaded' };
    expect(told).toMatchObject({ data: { text: '', retry } });
    expect(retriesAt - tsToMs(waiting?.lastAttemptCompleteTime)).toBeGreaterThanOrEqual(600_000);
    await shortenActivityRetries(p, id, 'callModel');
    expect((await p.waitForStatus(id, 'completed')).result).toBe('at last');
    p.model.expectAllRepliesUsed();
  });

  it('counts what every attempt used, since a reply that is cut off is billed too', async () => {
    const usage = { input_tokens: 1_000, output_tokens: 10, cache_read_input_tokens: 4_000 };
    p = await startParley({
      ownWorker: true,
      replies: [
        { text: 'a reply never seen whole', cutAfter: 4, usage },
        replyWithError(529, { retryAfter: 0 }),
        { text: 'done', usage },
        { text: 'cut again', cutAfter: 4, usage },
        replyWithError(400),
      ],
    });
    const id = await p.startConversation();
    // $0.0025 for the reply; of the one that was cut off, the length of the output is estimated.
    const used = { inputTokens: 10_000, outputTokens: 17, cachedTokens: 8_000, modelCalls: 2, cost: 0.00497 };
    expect((await p.waitForStatus(id, 'completed')).usage).toEqual(used);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And now?' });
    expect((await p.waitForStatus(id, 'failed')).usage).toMatchObject({ inputTokens: 15_000, modelCalls: 3 });
  });

  it.each([
    [400, 'model_rejected'],
    [401, 'model_unauthorized'],
    [403, 'model_unauthorized'],
    [404, 'model_rejected'],
  ])('does not retry after %s: the conversation fails with a clear error and can be resumed', async (status, code) => {
    p = await startParley({
      ownWorker: true,
      replies: [replyWithError(status, { message: 'no way' }), replyWithText('better')],
    });
    const id = await p.startConversation();
    expect(await p.waitForStatus(id, 'failed')).toMatchObject({
      result: null,
      error: { code, message: expect.stringContaining('no way') },
    });
    expect(p.model.requests).toHaveLength(1);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Again' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('better');
  });

  it('fails with a clear error if the reply reached its maximum length, and a message continues it', async () => {
    p = await startParley({
      ownWorker: true,
      replies: [{ text: 'Once upon', stopReason: 'max_tokens' }, replyWithText('a time')],
    });
    const id = await p.startConversation();
    expect((await p.waitForStatus(id, 'failed')).error?.code).toBe('reply_cut_off');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('a time');
  });

  const cutOffThinking = {
    content: [{ type: 'thinking' as const, thinking: '', signature: '' }],
    stopReason: 'max_tokens',
  };

  it('tries once more, with more room, if the reply was cut off while it was thinking', async () => {
    const planned = replyWithToolCalls({ name: 'write_todos', input: { todos: [] } });
    p = await startParley({ replies: [cutOffThinking, planned, replyWithText('done')] });
    const id = await p.startConversation();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    expect(p.model.requests.map(({ body }) => body.max_tokens)).toEqual([32_000, 64_000, 32_000]);
    expect(JSON.stringify(p.model.requests[1]?.body.messages)).toContain('Think less this time');
    expect((await p.getConversation(id)).usage.modelCalls).toBe(3);
  });

  it('fails with a clear error if that reply is cut off too, and a message continues it', async () => {
    p = await startParley({ replies: [cutOffThinking, cutOffThinking, replyWithText('done')] });
    const id = await p.startConversation();
    expect((await p.waitForStatus(id, 'failed')).error?.code).toBe('reply_cut_off');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    expect(p.model.requests[2]?.body.max_tokens).toBe(32_000);
  });

  it('passes a cancel on to the pending request', async () => {
    p = await startParley({
      ownWorker: true,
      replies: [{ text: 'a long story', hold: new Promise(() => undefined), holdAfter: 4 }],
    });
    const id = await p.startConversation();
    const request = await p.model.waitForRequest(0);
    const cancelled = await p.call<{ status: string }>('POST', `/v1/conversations/${id}/cancel`, {
      reason: 'enough',
    });
    expect([cancelled.status, cancelled.body.status]).toEqual([202, 'cancelled']);
    await request.closed;
    expect(request.aborted).toBe(true);
  });

  it('shows the text as it is written in the heartbeats of the activity', async () => {
    const { hold, release } = createLatch();
    p = await startParley({
      ownWorker: true,
      replies: [{ text: 'Once upon a time there was', hold, holdAfter: 6 }],
      env: WITHOUT_ENCRYPTION,
    });
    const id = await p.startConversation();
    const handle = p.client.workflow.getHandle(id);
    for (let written = ''; !written.includes('Once'); ) {
      const { raw } = await handle.describe();
      const [payload] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
      written = payload?.data ? Buffer.from(payload.data).toString() : '';
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    release();
    await p.waitForStatus(id, 'completed');
  });

  it('includes what the user said in the meantime before it ends, verbatim and last', async () => {
    const { hold, release } = createLatch();
    p = await startParley({ ownWorker: true, replies: [{ text: 'first', hold }, replyWithText('second')] });
    const id = await p.startConversation('Hello');
    await p.model.waitForRequest(0);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: ' One  more\nthing ' });
    release();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('second');
    const { body } = await p.model.waitForRequest(1);
    expect(body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: ' One  more\nthing ' }],
    });
  });

  it('includes every message sent in the meantime, however many', async () => {
    const { hold, release } = createLatch();
    const replies = [{ text: 'first', hold }, replyWithText('second')];
    p = await startParley({ ownWorker: true, frontMatter: 'maxTokens: 16000', replies });
    const id = await p.startConversation('Hello');
    await p.model.waitForRequest(0);
    const texts = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => letter.repeat(100_000));
    for (const text of texts)
      expect((await p.call('POST', `/v1/conversations/${id}/messages`, { text })).status).toBe(202);
    release();
    await p.waitForStatus(id, 'completed');
    const heard = (await p.model.waitForRequest(1)).body.messages.at(-1)?.content as { text: string }[];
    expect(heard.map((block) => block.text[0])).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(heard.map((block) => block.text.length)).toEqual(texts.map((text) => text.length));
  });

  it('survives more messages than it can hold while the model rejects them', async () => {
    const text = 'x'.repeat(100_000);
    p = await startParley({
      ownWorker: true,
      script: (request) =>
        JSON.stringify(request.body).includes('enough') ? replyWithText('heard') : replyWithError(400),
    });
    const id = await p.startConversation(text);
    for (let n = 0; n < 11; n += 1) {
      await p.waitForStatus(id, 'failed');
      expect((await p.call('POST', `/v1/conversations/${id}/messages`, { text })).status).toBe(202);
    }
    await p.waitForStatus(id, 'failed');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'enough' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('heard');
  });

  it('continues with the same call if its worker is stopped', async () => {
    p = await startParley({
      ownWorker: true,
      replies: [
        { text: 'never', hold: new Promise(() => undefined) },
        replyWithQuestion('Which?', 'A', 'B'),
        replyWithText('done'),
      ],
    });
    const id = await p.startConversation();
    await p.model.waitForRequest(0);
    await p.stopWorker();
    await p.startWorker();
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'A' });
    expect((await p.waitForStatus(id, 'completed')).usage.modelCalls).toBe(2);
    p.model.expectAllRepliesUsed();
  });
});
