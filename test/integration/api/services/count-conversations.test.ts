import { createParley } from '#client/parley';
import type { Conversation } from '#contract/conversation';
import type { Scope } from '#contract/permissions';
import type { Problem } from '#contract/problem';
import { type ConversationListResponse, StatusCounts } from '#contract/responses';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, replyWithError, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const ALL_SCOPES: Scope[] = ['conversations:read', 'conversations:write', 'questions:answer'];

describe('the counts of conversations', () => {
  const modelLatch = createLatch();
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script: async ({ body }) => {
        const lastMessage = JSON.stringify(body.messages.at(-1));
        if (lastMessage.includes('hold')) await modelLatch.hold;
        if (lastMessage.includes('break')) return replyWithError(400, { message: 'broken' });
        return lastMessage.includes('ask') ? replyWithQuestion('Which?', 'A', 'B') : replyWithText('done');
      },
      keys: { owner: ALL_SCOPES, other: ALL_SCOPES, boss: ['admin'] },
    });
    await p.waitForStatus(await p.startConversation('done'), 'completed');
    await p.waitForStatus(await p.startConversation('done'), 'completed');
    await p.waitForStatus(await p.startConversation('break'), 'failed');
    const cancelled = await p.startConversation('ask');
    await p.waitForQuestion(cancelled);
    await p.call('POST', `/v1/conversations/${cancelled}/cancel`);
    const terminated = await p.startConversation('ask');
    await p.waitForQuestion(terminated);
    await p.client.workflow.getHandle(terminated).terminate();
    await p.waitForQuestion(await p.startConversation('ask'));
    await p.startConversation('hold');
    await p.callAs('other')('POST', '/v1/conversations', { message: 'hold', agent: p.agent });
    await p.callAs('other')('POST', '/v1/conversations', { message: 'hold', agent: 'assistant' });
  });
  afterAll(async () => {
    modelLatch.release();
    await p.stop();
  });

  const OWNER_COUNTS = { running: 1, waiting_for_input: 1, completed: 2, failed: 1, cancelled: 2 };

  /** Visibility lags by a moment: polls until it has them all. */
  async function waitForCounts(
    query = '',
    name = 'owner',
    expected: object = OWNER_COUNTS,
  ): Promise<StatusCounts | undefined> {
    const route = `/v1/conversations?agent=${p.agent}&counts=true${query}`;
    for (let attempt = 1; ; attempt += 1) {
      const { body } = await p.callAs(name)<ConversationListResponse>('GET', route);
      if (attempt === 200 || JSON.stringify(body.counts) === JSON.stringify(expected)) return body.counts;
    }
  }

  it('are returned on request, one for each status', async () => {
    expect(StatusCounts.parse(await waitForCounts())).toEqual(OWNER_COUNTS);
  });

  it('are absent otherwise', async () => {
    for (const query of ['', '&counts=false']) {
      const { body } = await p.call<object>('GET', `/v1/conversations?agent=${p.agent}${query}`);
      expect(Object.keys(body)).toEqual(['items', 'nextCursor']);
    }
    const refused = await p.call<Problem>('GET', '/v1/conversations?counts=yes');
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'counts']);
  });

  it('ignore the status and search of the list', async () => {
    expect(await waitForCounts('&status=failed')).toEqual(OWNER_COUNTS);
    expect(await waitForCounts('&search=nowhere')).toEqual(OWNER_COUNTS);
    expect(await waitForCounts('&limit=1&status=completed')).toEqual(OWNER_COUNTS);
  });

  it('respect the agent filter, and what the caller may see', async () => {
    const otherCounts = { running: 1, waiting_for_input: 0, completed: 0, failed: 0, cancelled: 0 };
    expect(await waitForCounts('', 'other', otherCounts)).toEqual(otherCounts);
    const allCounts = { ...OWNER_COUNTS, running: 2 };
    expect(await waitForCounts('', 'boss', allCounts)).toEqual(allCounts);
    const { body } = await p.callAs('other')<ConversationListResponse>('GET', '/v1/conversations?counts=true');
    expect(body.counts?.running).toBe(2);
  });

  it('do not affect which lists a cursor is valid for', async () => {
    const route = `/v1/conversations?agent=${p.agent}&limit=1`;
    const { body } = await p.call<{ nextCursor: string }>('GET', `${route}&counts=true`);
    expect((await p.call('GET', `${route}&cursor=${body.nextCursor}`)).status).toBe(200);
  });

  it('are returned by the typed client', async () => {
    await waitForCounts();
    const client = createParley({ url: p.url, key: p.apiKey('owner') });
    expect((await client.list({ agent: p.agent, counts: true, limit: 1 })).counts).toEqual(OWNER_COUNTS);
    expect((await client.list({ agent: p.agent })).counts).toBeUndefined();
  });

  it('count a resumed conversation once for each time it ended', async () => {
    const { body } = await p.call<{ items: Conversation[] }>(
      'GET',
      `/v1/conversations?agent=${p.agent}&status=completed`,
    );
    const id = body.items[0]?.id ?? '';
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'ask' });
    await p.waitForQuestion(id);
    const expectedCounts = { ...OWNER_COUNTS, waiting_for_input: 2 };
    expect(await waitForCounts('', 'owner', expectedCounts)).toEqual(expectedCounts);
  });
});
