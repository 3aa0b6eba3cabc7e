import { request } from 'node:http';
import type { Problem } from '#contract/problem';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithText } from '#test/support/scripted-model';
import { isEventNamed, listEventNames, watchConversationEvents } from '#test/support/sse-client';

describe('the events of a finished conversation', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ script: () => replyWithText('Hi') });
  });
  afterAll(() => p.stop());

  async function startFinishedConversation(): Promise<string> {
    const id = await p.startConversation();
    await p.waitForStatus(id, 'completed');
    return id;
  }

  async function readEventNames(id: string, after?: number): Promise<string[]> {
    const watcher = await watchConversationEvents(p.url, id, after);
    await watcher.closed;
    return listEventNames(watcher.events);
  }

  it('are a snapshot and `done`, or the events that are left', async () => {
    const id = await startFinishedConversation();
    const watcher = await watchConversationEvents(p.url, id);
    await watcher.closed;
    expect(listEventNames(watcher.events)).toEqual(['3 snapshot', 'done']);
    const conversation = await p.getConversation(id);
    expect(watcher.events.map(({ data }) => data)).toEqual([conversation, conversation]);
    expect(await readEventNames(id, 0)).toEqual(['1 message', '2 message', '3 status', 'done']);
    expect(await readEventNames(id, 2)).toEqual(['3 status', 'done']);
  });

  it('are 204 if none are left, which tells a browser to stop', async () => {
    const { status, events } = await watchConversationEvents(p.url, await startFinishedConversation(), 3);
    expect([status, events]).toEqual([204, []]);
  });

  it('begin with a snapshot at a number that was never used', async () => {
    expect(await readEventNames(await startFinishedConversation(), 4)).toEqual(['3 snapshot', 'done']);
  });

  it.each(['x', '-1', '1.5', '1e3', '9999999999999999', '0x1'])(
    'are rejected after %s, which is not the number of an event',
    async (after) => {
      const route = `/v1/conversations/${await startFinishedConversation()}/events`;
      const { status, body } = await p.call<Problem>('GET', route, undefined, { 'last-event-id': after });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.detail).toContain('Last-Event-ID');
    },
  );

  it('are 404 for an unknown conversation, and accept only GET', async () => {
    const missing = await p.call<Problem>('GET', '/v1/conversations/nobody/events');
    expect([missing.status, missing.body.code]).toEqual([404, 'conversation_not_found']);
    const posted = await p.call<Problem>('POST', `/v1/conversations/${await startFinishedConversation()}/events`, {});
    expect([posted.status, posted.body.code]).toEqual([405, 'method_not_allowed']);
  });

  it('are not opened by HEAD', async () => {
    for (const route of [`/v1/conversations/${await startFinishedConversation()}/events`, '/v1/questions/events']) {
      const { status, headers } = await new Promise<{ status?: number; headers: object }>((resolve, reject) => {
        request(`${p.url}${route}`, { method: 'HEAD' }, ({ statusCode, headers, socket }) => {
          socket.destroy();
          resolve({ status: statusCode, headers });
        })
          .on('error', reject)
          .end();
      });
      expect([status, headers]).toMatchObject([200, { 'content-type': 'text/event-stream; charset=utf-8' }]);
    }
    expect(p.streamHub.counts()).toEqual({ feeds: 0, connections: 0 });
  });

  it('continue with the next numbers when it is resumed', async () => {
    const id = await p.startConversation();
    const first = await watchConversationEvents(p.url, id);
    await first.closed;
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Again' });
    const second = await watchConversationEvents(p.url, id, 3);
    await second.closed;
    expect(listEventNames(first.events)).toEqual(['1 snapshot', '2 message', '3 status', 'done']);
    expect(listEventNames(second.events)).toEqual(['4 status', '5 message', '6 message', '7 status', 'done']);
    expect(second.events[1]?.data).toMatchObject({ role: 'user', text: 'Again' });
    expect(await readEventNames(id, 3)).toEqual(listEventNames(second.events));
  });

  it('begin with a snapshot if earlier entries were removed for size', async () => {
    const text = 'é'.repeat(50_000);
    const id = await p.startConversation(text);
    await p.waitForStatus(id, 'completed');
    for (let n = 0; n < 16; n += 1) {
      await p.call('POST', `/v1/conversations/${id}/messages`, { text });
      await p.waitForStatus(id, 'completed');
    }
    const { body } = await p.call<{ items: { id: number }[]; truncated?: true }>(
      'GET',
      `/v1/conversations/${id}/timeline`,
    );
    expect(body.truncated).toBe(true);
    const oldest = body.items[0]?.id ?? 0;
    const last = body.items.at(-1)?.id ?? 0;
    expect(await readEventNames(id, oldest - 2)).toEqual([`${last} snapshot`, 'done']);
    const watcher = await watchConversationEvents(p.url, id, oldest - 1);
    await watcher.closed;
    expect(watcher.events.find(isEventNamed('snapshot'))).toBeUndefined();
    expect(watcher.events).toHaveLength(last - oldest + 2);
  });
});
