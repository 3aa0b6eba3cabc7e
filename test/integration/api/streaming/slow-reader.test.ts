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

const LONG = 'x'.repeat(500_000);
/** Far more than the sockets between the two can hold. */
const ENOUGH = 120;

describe('a reader that does not keep up', () => {
  let close: () => Promise<unknown> = async () => undefined;
  afterEach(() => close());

  const patient = { drainMs: 3_600_000, backlog: 1_000_000 };
  const link = { self: '', events: '', web: '', temporal: '' };

  async function serve(
    gateway: TemporalGateway,
    options: Partial<StreamHubOptions>,
    follow: (live: StreamHub, request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ) {
    const live = createStreamHub(gateway, () => link, { ...patient, ...options });
    const server = createServer((request, response) => void follow(live, request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = async () => {
      await live.stop();
      server.close();
      server.closeAllConnections();
    };
    const { port } = server.address() as AddressInfo;
    return { live, port, url: `http://127.0.0.1:${port}` };
  }

  /** A conversation on a stage, which says more and more. */
  async function conversation(options: Partial<StreamHubOptions> = {}) {
    const stage = new FakeTemporal();
    const run = stage.run('RUNNING');
    const served = await serve(stage.gateway, options, (live, request, response) => {
      const after = request.headers['last-event-id'];
      return live.followConversation(run, after ? Number(after) : undefined, request, response);
    });
    const say = (text: string) => addTimelineEntry(stage.state, { kind: 'message', role: 'user', text }, START_TIME);
    return { ...served, stage, say, id: run.id };
  }

  /** Asks, and does not read what it is told. */
  function deaf(port: number): Socket {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    return socket;
  }

  async function untilWatched(live: StreamHub, viewers: number): Promise<void> {
    while (live.counts().viewers !== viewers) await new Promise(setImmediate);
  }

  it('is hung up on in a conversation when too much is kept for it, and nobody else is', async () => {
    const { live, port, url, stage, say, id } = await conversation();
    const watching = watchConversationEvents(url, id);
    await stage.read();
    const reader = await watching;
    await reader.until(isEventNamed('snapshot'));
    const socket = deaf(port);
    await untilWatched(live, 2);
    let said = 0;
    while (live.counts().viewers > 1 && said < ENOUGH) {
      say(LONG);
      said += 1;
      // It is the window that keeps the earlier ones.
      stage.state.entries = stage.state.entries.slice(-1);
      await stage.happen(TASK_COMPLETED_EVENT);
      await stage.read();
      await reader.until((event) => 'id' in event && event.id === 1 + said);
    }
    expect(live.counts()).toEqual({ tails: 1, viewers: 1 });
    expect(listEventNames(reader.events)).toEqual([
      '1 snapshot',
      ...Array.from({ length: said }, (_, n) => `${n + 2} message`),
    ]);
    socket.destroy();
  });

  it('is not one who comes for the whole of a long conversation', async () => {
    const { url, stage, say, id } = await conversation({ backlog: 1_000 });
    for (let n = 0; n < 3; n += 1) say(LONG);
    const watching = watchConversationEvents(url, id, 0);
    await stage.read();
    const reader = await watching;
    await reader.until((event) => 'id' in event && event.id === 4);
    expect(listEventNames(reader.events)).toEqual(['1 message', '2 message', '3 message', '4 message']);
    say('And?');
    await stage.happen(TASK_COMPLETED_EVENT);
    await stage.read();
    await reader.until((event) => 'id' in event && event.id === 5);
  });

  it('is hung up on in the inbox, and finds all of it when it comes back', async () => {
    const runs: Execution[] = [];
    let isGrowing = false;
    const gateway = {
      list: async () => {
        if (isGrowing && runs.length < ENOUGH) runs.push(waiting(runs.length));
        return { runs: [...runs], unreadable: [], token: Buffer.alloc(0) };
      },
    } as unknown as TemporalGateway;
    const { live, port, url } = await serve(gateway, { inboxEveryMs: 1 }, (live, request, response) =>
      live.followInbox({}, request, response),
    );
    const reader = await watchInboxEvents(url);
    await reader.until(({ event }) => event === 'snapshot');
    const socket = deaf(port);
    await untilWatched(live, 2);
    isGrowing = true;
    while (live.counts().viewers > 1 && reader.events.length <= ENOUGH) await new Promise(setImmediate);
    isGrowing = false;
    expect(live.counts()).toEqual({ tails: 1, viewers: 1 });
    socket.destroy();
    const again = await watchInboxEvents(url);
    const snapshot = await again.until(({ event }) => event === 'snapshot');
    expect(snapshot.data).toMatchObject({ items: { length: runs.length } });
  });

  function waiting(number: number): Execution {
    const state = askingConversation([{ question: 'Which?' }], {}, { id: `c-${number}` });
    pendingQuestion(state).context = LONG;
    const runs = { runId: `run-${number}`, firstRunId: `run-${number}`, historyLength: 0 };
    return { id: state.id, ...runs, status: 'RUNNING', closedAt: null, memo: buildMemo(state) };
  }
});
