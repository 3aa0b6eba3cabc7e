import { connect, type Socket } from 'node:net';
import { type StreamServer, startStreamServer } from '#test/support/api/streaming/stream-server';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { isEventNamed, listEventNames, watchConversationEvents, watchInboxEvents } from '#test/support/sse-client';

const EVENTS_AFTER_ANSWER = ['4 question_answered', '5 status', '6 message', '7 status', 'done'];

describe('following conversations', () => {
  let p: TestParley;
  let server: StreamServer;
  beforeAll(async () => {
    p = await startParley({
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
    });
  });
  beforeEach(async () => {
    server = await startStreamServer(p, { drainMs: 1_000 });
  });
  afterEach(() => server.stop());
  afterAll(() => p.stop());

  async function startParkedConversation(): Promise<string> {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    return id;
  }

  async function waitForCounts(expected: { feeds: number; connections: number }): Promise<void> {
    while (JSON.stringify(server.streamHub.counts()) !== JSON.stringify(expected))
      await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Counts the calls of each method, and the maximum of concurrent history polls. */
  function countCalls() {
    const service = server.client.workflowService;
    const polls = new Map<string, number>();
    const calls = { maxConcurrentPolls: 0, queries: 0, describes: 0 };
    const { getWorkflowExecutionHistory, queryWorkflow, describeWorkflowExecution } = service;
    const poll = getWorkflowExecutionHistory.bind(service) as unknown as (request: object) => Promise<never>;
    service.getWorkflowExecutionHistory = (async (request: { execution: { workflowId: string } }) => {
      const { workflowId } = request.execution;
      polls.set(workflowId, (polls.get(workflowId) ?? 0) + 1);
      calls.maxConcurrentPolls = Math.max(calls.maxConcurrentPolls, polls.get(workflowId) ?? 0);
      return poll(request).finally(() => polls.set(workflowId, (polls.get(workflowId) ?? 0) - 1));
    }) as never;
    service.queryWorkflow = ((request: object) => {
      calls.queries += 1;
      return (queryWorkflow as (request: object) => unknown).call(service, request);
    }) as never;
    service.describeWorkflowExecution = ((request: object) => {
      calls.describes += 1;
      return (describeWorkflowExecution as (request: object) => unknown).call(service, request);
    }) as never;
    return { seen: calls, openPolls: () => [...polls.values()].reduce((sum, count) => sum + count, 0) };
  }

  it('costs a conversation nothing, and Temporal one poll each, for any number of viewers', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, startParkedConversation));
    const readHistoryLengths = () =>
      Promise.all(ids.map(async (id) => (await p.client.workflow.getHandle(id).describe()).historyLength));
    const before = await readHistoryLengths();
    const { seen: calls, openPolls } = countCalls();
    const watchers = await Promise.all(
      ids.flatMap((id) => Array.from({ length: 10 }, () => watchConversationEvents(server.url, id))),
    );
    await Promise.all(watchers.map((watcher) => watcher.waitForEvent(isEventNamed('snapshot'))));
    expect(server.streamHub.counts()).toEqual({ feeds: 20, connections: 200 });
    expect([openPolls(), calls.maxConcurrentPolls]).toEqual([20, 1]);
    // A parked conversation is shown from its memo: no query is sent, and no partial text is polled.
    expect(calls.queries).toBe(0);
    // Concurrent viewers share a poll.
    expect(calls.describes).toBeLessThan(200);
    expect(await readHistoryLengths()).toEqual(before);

    for (const watcher of watchers.filter((_, index) => index % 10 !== 0)) watcher.disconnect();
    await waitForCounts({ feeds: 20, connections: 20 });
    const remaining = watchers.filter((_, index) => index % 10 === 0);
    await Promise.all(ids.slice(0, 10).map((id) => p.answer(id, { answer: 'A' })));
    await Promise.all(remaining.slice(0, 10).map((watcher) => watcher.closed));
    for (const watcher of remaining.slice(0, 10))
      expect(listEventNames(watcher.events)).toEqual(['3 snapshot', ...EVENTS_AFTER_ANSWER]);
    for (const watcher of remaining.slice(10)) watcher.disconnect();
    await waitForCounts({ feeds: 0, connections: 0 });
    while (openPolls() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(calls.maxConcurrentPolls).toBe(1);
  });

  it('reads new entries once for all of them', async () => {
    const id = await startParkedConversation();
    const { seen: calls } = countCalls();
    const watchers = await Promise.all(Array.from({ length: 50 }, () => watchConversationEvents(server.url, id)));
    await Promise.all(watchers.map((watcher) => watcher.waitForEvent(isEventNamed('snapshot'))));
    await p.answer(id, { answer: 'A' });
    await Promise.all(watchers.map((watcher) => watcher.closed));
    for (const watcher of watchers)
      expect(listEventNames(watcher.events)).toEqual(['3 snapshot', ...EVENTS_AFTER_ANSWER]);
    // The answer and the reply are one workflow task each, and the end is read from the result.
    expect(calls.queries).toBeLessThanOrEqual(3);
  });

  it('ends in order when the API stops', async () => {
    const ids = await Promise.all([startParkedConversation(), startParkedConversation()]);
    const { openPolls } = countCalls();
    const watchers = await Promise.all(ids.map((id) => watchConversationEvents(server.url, id)));
    const inbox = await watchInboxEvents(server.url);
    await Promise.all(watchers.map((watcher) => watcher.waitForEvent(isEventNamed('snapshot'))));
    await inbox.waitForEvent(({ event }) => event === 'snapshot');
    expect(server.streamHub.counts()).toEqual({ feeds: 3, connections: 3 });
    await server.streamHub.stop();
    await Promise.all([...watchers, inbox].map((watcher) => watcher.closed));
    expect(server.streamHub.counts()).toEqual({ feeds: 0, connections: 0 });
    while (openPolls() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const late = await watchConversationEvents(server.url, ids[0] ?? '');
    await late.closed;
    expect([late.status, late.events]).toEqual([200, []]);
  });

  /** Sends the request and does not read the response. */
  function connectWithoutReading(id: string, after?: number): Socket {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
    const resumed = after === undefined ? '' : `Last-Event-ID: ${after}\r\n`;
    socket
      .on('error', () => undefined)
      .write(`GET /v1/conversations/${id}/events HTTP/1.1\r\nHost: here\r\n${resumed}\r\n`);
    return socket;
  }

  it('drops a stream that waited on a connection that has closed', async () => {
    const id = await startParkedConversation();
    const socket = connectWithoutReading(id);
    socket.write(`GET /v1/conversations/${id}/events HTTP/1.1\r\nHost: here\r\n\r\n`);
    await waitForCounts({ feeds: 1, connections: 2 });
    socket.destroy();
    await waitForCounts({ feeds: 0, connections: 0 });
  });

  it('does not delay other viewers when one stops reading, and lets that one resume', async () => {
    const id = await startParkedConversation();
    const reader = await watchConversationEvents(server.url, id);
    await reader.waitForEvent(isEventNamed('snapshot'));
    const socket = connectWithoutReading(id, 3);
    await waitForCounts({ feeds: 1, connections: 2 });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const handle = p.client.workflow.getHandle(id);
    const text = 'x'.repeat(100_000);
    let messageCount = 0;
    // Until it exceeds what the two sockets can buffer.
    while (server.streamHub.counts().connections === 2) {
      await Promise.all(Array.from({ length: 10 }, () => handle.signal('addMessage', { text })));
      messageCount += 10;
      await reader.waitForEvent((event) => 'id' in event && event.id === 3 + messageCount);
    }
    await waitForCounts({ feeds: 1, connections: 1 });
    // Messages this large are not stored if the run continues as new before they are read; then a snapshot follows, and
    // nothing else is missing.
    const numbers = reader.events.map((event) => ('id' in event ? event.id : undefined));
    const gaps = reader.events.filter(
      ({ event }, n) => n > 0 && event !== 'snapshot' && numbers[n] !== (numbers[n - 1] ?? 0) + 1,
    );
    expect([numbers[0], gaps, numbers.at(-1)]).toEqual([3, [], 3 + messageCount]);

    // It reads what was in flight when it was disconnected, complete events first.
    let received = '';
    socket
      .on('data', (chunk) => {
        received += chunk;
      })
      .resume();
    await closed;
    const body = received.replace(/\r\n[0-9a-f]+\r\n/g, '');
    const last = Number([...body.matchAll(/id: (\d+)\n[^\n]+\n[^\n]+\n\n/g)].at(-1)?.[1]);
    expect(last).toBeGreaterThan(3);
    expect(last).toBeLessThan(3 + messageCount);
    const resumed = await watchConversationEvents(server.url, id, last);
    const first = await resumed.waitForEvent(() => true);
    expect(first.event === 'snapshot' || ('id' in first && first.id === last + 1)).toBe(true);
    await handle.terminate();
    await Promise.all([reader.closed, resumed.closed]);
  });
});
