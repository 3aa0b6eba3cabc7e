import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createStreamHub, type StreamHub, type StreamHubOptions } from '#api/streaming/hub';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { addTimelineEntry } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import { FakeTemporal, TASK_COMPLETED_EVENT } from '#test/support/api/streaming/fake-temporal';
import { askingConversation, pendingQuestion, START_TIME } from '#test/support/core/conversation-fixture';
import { isEventNamed, listEventNames, watchConversationEvents, watchInboxEvents } from '#test/support/sse-client';

const LONG_TEXT = 'x'.repeat(500_000);
/** Far more than the two sockets can buffer. */
const MAX_MESSAGES = 120;

describe('a reader that does not keep up', () => {
  let close: () => Promise<unknown> = async () => undefined;
  afterEach(() => close());

  const patientLimits = { drainMs: 3_600_000, maxBacklog: 1_000_000 };
  const links = { self: '', events: '', web: '', temporal: '' };

  async function startServer(
    gateway: TemporalGateway,
    options: Partial<StreamHubOptions>,
    follow: (streamHub: StreamHub, request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ) {
    const streamHub = createStreamHub(gateway, () => links, { ...patientLimits, ...options });
    const server = createServer((request, response) => void follow(streamHub, request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = async () => {
      await streamHub.stop();
      server.close();
      server.closeAllConnections();
    };
    const { port } = server.address() as AddressInfo;
    return { streamHub, port, url: `http://127.0.0.1:${port}` };
  }

  /** A fake conversation that grows. */
  async function serveConversation(options: Partial<StreamHubOptions> = {}) {
    const temporal = new FakeTemporal();
    const run = temporal.run('RUNNING');
    const server = await startServer(temporal.gateway, options, (streamHub, request, response) => {
      const after = request.headers['last-event-id'];
      return streamHub.followConversation(run, after ? Number(after) : undefined, request, response);
    });
    const addMessage = (text: string) =>
      addTimelineEntry(temporal.state, { kind: 'message', role: 'user', text }, START_TIME);
    return { ...server, temporal, addMessage, id: run.id };
  }

  /** Sends the request and does not read the response. */
  function connectWithoutReading(port: number): Socket {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    return socket;
  }

  async function waitForConnections(streamHub: StreamHub, count: number): Promise<void> {
    while (streamHub.counts().connections !== count) await new Promise(setImmediate);
  }

  it('is disconnected from a conversation when its buffer is full; others are not', async () => {
    const { streamHub, port, url, temporal, addMessage, id } = await serveConversation();
    const watching = watchConversationEvents(url, id);
    await temporal.answerStateRead();
    const reader = await watching;
    await reader.waitForEvent(isEventNamed('snapshot'));
    const socket = connectWithoutReading(port);
    await waitForConnections(streamHub, 2);
    let messageCount = 0;
    while (streamHub.counts().connections > 1 && messageCount < MAX_MESSAGES) {
      addMessage(LONG_TEXT);
      messageCount += 1;
      // The earlier ones are only in the event buffer.
      temporal.state.entries = temporal.state.entries.slice(-1);
      await temporal.emitEvents(TASK_COMPLETED_EVENT);
      await temporal.answerStateRead();
      await reader.waitForEvent((event) => 'id' in event && event.id === 1 + messageCount);
    }
    expect(streamHub.counts()).toEqual({ feeds: 1, connections: 1 });
    expect(listEventNames(reader.events)).toEqual([
      '1 snapshot',
      ...Array.from({ length: messageCount }, (_, n) => `${n + 2} message`),
    ]);
    socket.destroy();
  });

  it('is not one that reads a long conversation from its start', async () => {
    const { url, temporal, addMessage, id } = await serveConversation({ maxBacklog: 1_000 });
    for (let n = 0; n < 3; n += 1) addMessage(LONG_TEXT);
    const watching = watchConversationEvents(url, id, 0);
    await temporal.answerStateRead();
    const reader = await watching;
    await reader.waitForEvent((event) => 'id' in event && event.id === 4);
    expect(listEventNames(reader.events)).toEqual(['1 message', '2 message', '3 message', '4 message']);
    addMessage('And?');
    await temporal.emitEvents(TASK_COMPLETED_EVENT);
    await temporal.answerStateRead();
    await reader.waitForEvent((event) => 'id' in event && event.id === 5);
  });

  it('is disconnected from the inbox, and finds all of it when it reconnects', async () => {
    const runs: Execution[] = [];
    let isGrowing = false;
    const gateway = {
      list: async () => {
        if (isGrowing && runs.length < MAX_MESSAGES) runs.push(parkedExecution(runs.length));
        return { runs: [...runs], unreadable: [], token: Buffer.alloc(0) };
      },
    } as unknown as TemporalGateway;
    const { streamHub, port, url } = await startServer(gateway, { inboxPollMs: 1 }, (streamHub, request, response) =>
      streamHub.followInbox({ canSee: () => true, seesEverything: true }, request, response),
    );
    const reader = await watchInboxEvents(url);
    await reader.waitForEvent(({ event }) => event === 'snapshot');
    const socket = connectWithoutReading(port);
    await waitForConnections(streamHub, 2);
    isGrowing = true;
    while (streamHub.counts().connections > 1 && reader.events.length <= MAX_MESSAGES) await new Promise(setImmediate);
    isGrowing = false;
    expect(streamHub.counts()).toEqual({ feeds: 1, connections: 1 });
    socket.destroy();
    const again = await watchInboxEvents(url);
    const snapshot = await again.waitForEvent(({ event }) => event === 'snapshot');
    expect(snapshot.data).toMatchObject({ items: { length: runs.length } });
  });

  function parkedExecution(number: number): Execution {
    const state = askingConversation([{ question: 'Which?' }], {}, { id: `c-${number}` });
    pendingQuestion(state).context = LONG_TEXT;
    const runs = { runId: `run-${number}`, firstRunId: `run-${number}`, historyLength: 0 };
    return { id: state.id, ...runs, status: 'RUNNING', closedAt: null, memo: buildMemo(state) };
  }
});
