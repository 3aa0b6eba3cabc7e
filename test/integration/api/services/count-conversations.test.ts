import { createParley } from '#client/parley';
import type { Conversation } from '#contract/conversation';
import type { Scope } from '#contract/permissions';
import type { Problem } from '#contract/problem';
import { type ConversationListResponse, StatusCounts } from '#contract/responses';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, replyWithError, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const ALL: Scope[] = ['conversations:read', 'conversations:write', 'questions:answer'];

describe('the counts of conversations', () => {
  const held = createLatch();
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script: async ({ body }) => {
        const said = JSON.stringify(body.messages.at(-1));
        if (said.includes('hold')) await held.hold;
        if (said.includes('break')) return replyWithError(400, { message: 'broken' });
        return said.includes('ask') ? replyWithQuestion('Which?', 'A', 'B') : replyWithText('done');
      },
      keys: { owner: ALL, other: ALL, boss: ['admin'] },
    });
    await p.until(await p.start('done'), 'completed');
    await p.until(await p.start('done'), 'completed');
    await p.until(await p.start('break'), 'failed');
    const cancelled = await p.start('ask');
    await p.question(cancelled);
    await p.call('POST', `/v1/conversations/${cancelled}/cancel`);
    const terminated = await p.start('ask');
    await p.question(terminated);
    await p.client.workflow.getHandle(terminated).terminate();
    await p.question(await p.start('ask'));
    await p.start('hold');
    await p.as('other')('POST', '/v1/conversations', { message: 'hold', agent: p.agent });
    await p.as('other')('POST', '/v1/conversations', { message: 'hold', agent: 'assistant' });
  });
  afterAll(async () => {
    held.release();
    await p.stop();
  });

  const OF_OWNER = { running: 1, waiting_for_input: 1, completed: 2, failed: 1, cancelled: 2 };

  /** Visibility follows a moment later: looks until it has them all. */
  async function counted(query = '', name = 'owner', wanted: object = OF_OWNER): Promise<StatusCounts | undefined> {
    const route = `/v1/conversations?agent=${p.agent}&counts=true${query}`;
    for (let looks = 1; ; looks += 1) {
      const { body } = await p.as(name)<ConversationListResponse>('GET', route);
      if (looks === 200 || JSON.stringify(body.counts) === JSON.stringify(wanted)) return body.counts;
    }
  }

  it('are there where they are asked for, one for each status', async () => {
    expect(StatusCounts.parse(await counted())).toEqual(OF_OWNER);
  });

  it('are not there otherwise', async () => {
    for (const query of ['', '&counts=false']) {
      const { body } = await p.call<object>('GET', `/v1/conversations?agent=${p.agent}${query}`);
      expect(Object.keys(body)).toEqual(['items', 'nextCursor']);
    }
    const refused = await p.call<Problem>('GET', '/v1/conversations?counts=yes');
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'counts']);
  });

  it('are the same whatever status and words the list is of', async () => {
    expect(await counted('&status=failed')).toEqual(OF_OWNER);
    expect(await counted('&search=nowhere')).toEqual(OF_OWNER);
    expect(await counted('&limit=1&status=completed')).toEqual(OF_OWNER);
  });

  it('are of the agent, and of what the caller may see', async () => {
    const ofOther = { running: 1, waiting_for_input: 0, completed: 0, failed: 0, cancelled: 0 };
    expect(await counted('', 'other', ofOther)).toEqual(ofOther);
    const ofAll = { ...OF_OWNER, running: 2 };
    expect(await counted('', 'boss', ofAll)).toEqual(ofAll);
    const { body } = await p.as('other')<ConversationListResponse>('GET', '/v1/conversations?counts=true');
    expect(body.counts?.running).toBe(2);
  });

  it('do not change what a cursor is good for', async () => {
    const of = `/v1/conversations?agent=${p.agent}&limit=1`;
    const { body } = await p.call<{ nextCursor: string }>('GET', `${of}&counts=true`);
    expect((await p.call('GET', `${of}&cursor=${body.nextCursor}`)).status).toBe(200);
  });

  it('are given by the typed client', async () => {
    await counted();
    const client = createParley({ url: p.url, key: p.key('owner') });
    expect((await client.list({ agent: p.agent, counts: true, limit: 1 })).counts).toEqual(OF_OWNER);
    expect((await client.list({ agent: p.agent })).counts).toBeUndefined();
  });

  it('have a conversation that was taken up again for each time it ended', async () => {
    const { body } = await p.call<{ items: Conversation[] }>(
      'GET',
      `/v1/conversations?agent=${p.agent}&status=completed`,
    );
    const id = body.items[0]?.id ?? '';
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'ask' });
    await p.question(id);
    const parked = { ...OF_OWNER, waiting_for_input: 2 };
    expect(await counted('', 'owner', parked)).toEqual(parked);
  });
});
