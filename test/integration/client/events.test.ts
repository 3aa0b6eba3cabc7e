import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ClientOptions } from '#client/options';
import { createParley, type ParleyClient } from '#client/parley';
import {
  collectItems,
  createMessageEntry,
  createMessageEvent,
  createSnapshotEvent,
  DONE_EVENT,
  destroyResponse,
  dropConnection,
  endResponse,
  formatSseEvent,
  leaveResponseOpen,
  respondWithEvents,
  respondWithHtml,
  respondWithJson,
  respondWithProblem,
  type ScriptedHttpServer,
  type ScriptedTurn,
  startScriptedHttpServer,
  summarizeEvents,
} from '#test/support/client/scripted-http-server';
import { createLatch } from '#test/support/scripted-model';

let server: ScriptedHttpServer;
afterEach(() => server.stop());

async function startClient(turns: ScriptedTurn[], options: Partial<ClientOptions> = {}): Promise<ParleyClient> {
  server = await startScriptedHttpServer(...turns);
  return createParley({ url: server.url, key: 'secret', timing: { firstWaitMs: 1 }, ...options });
}

const lastEventIds = () => server.requests.map(({ headers }) => headers['last-event-id']);

describe('the events of a conversation', () => {
  it('arrive as sent, and end with done', async () => {
    const parts = [
      createSnapshotEvent(1),
      ': awake\n\n',
      formatSseEvent('delta', { text: 'Hel' }),
      createMessageEvent(2, 'Hello'),
      DONE_EVENT,
    ];
    const parley = await startClient([respondWithEvents(parts, leaveResponseOpen)]);
    expect(await collectItems(parley.events('c-1'))).toEqual([
      { event: 'snapshot', id: 1, data: { id: 'c-1', status: 'running' } },
      { event: 'delta', data: { text: 'Hel' } },
      { event: 'message', id: 2, data: createMessageEntry(2, 'Hello') },
      { event: 'done', data: { id: 'c-1', status: 'completed' } },
    ]);
    expect(server.requests).toMatchObject([
      {
        method: 'GET',
        url: '/v1/conversations/c-1/events',
        headers: { accept: 'text/event-stream', authorization: 'Bearer secret' },
      },
    ]);
    expect(lastEventIds()).toEqual([undefined]);
  });

  it('continue after a given number', async () => {
    const parley = await startClient([
      respondWithEvents([createMessageEvent(1), DONE_EVENT]),
      respondWithEvents([createMessageEvent(8), DONE_EVENT]),
    ]);
    await collectItems(parley.events('c-1', { after: 0 }));
    await collectItems(parley.events('c-1', { after: 7 }));
    expect(lastEventIds()).toEqual(['0', '7']);
  });

  it.each([
    ['is cut', destroyResponse],
    ['is closed by a server that stops', endResponse],
  ])('continue where they were when the connection %s, without duplicates', async (_what, endConnection) => {
    const parley = await startClient([
      respondWithEvents(
        [createSnapshotEvent(3), createMessageEvent(4), formatSseEvent('delta', { text: 'five' })],
        endConnection,
      ),
      respondWithEvents([], endConnection),
      respondWithEvents([
        createMessageEvent(3),
        createMessageEvent(4),
        createMessageEvent(5),
        createMessageEvent(5),
        createSnapshotEvent(6),
        createMessageEvent(6),
        createMessageEvent(7),
        DONE_EVENT,
      ]),
    ]);
    expect(summarizeEvents(await collectItems(parley.events('c-1')))).toEqual([
      'snapshot 3',
      'message 4',
      'delta',
      'message 5',
      'snapshot 6',
      'message 7',
      'done',
    ]);
    expect(lastEventIds()).toEqual([undefined, '4', '4']);
  });

  it('continue from a snapshot, even if its number is lower than the last', async () => {
    const parley = await startClient([
      respondWithEvents([createSnapshotEvent(9), createMessageEvent(10)]),
      respondWithEvents([createSnapshotEvent(3), createMessageEvent(3), createMessageEvent(4)]),
      respondWithEvents([createSnapshotEvent(4), createMessageEvent(5), DONE_EVENT]),
    ]);
    expect(summarizeEvents(await collectItems(parley.events('c-1')))).toEqual([
      'snapshot 9',
      'message 10',
      'snapshot 3',
      'message 4',
      'snapshot 4',
      'message 5',
      'done',
    ]);
    expect(lastEventIds()).toEqual([undefined, '10', '4']);
  });

  it('are complete if the connection is cut in the middle of one', async () => {
    const whole = createMessageEvent(2, 'all of it');
    const parley = await startClient([
      respondWithEvents([createSnapshotEvent(1), whole.slice(0, 40)], destroyResponse),
      respondWithEvents([whole.slice(0, -1)], destroyResponse),
      respondWithEvents([whole, DONE_EVENT]),
    ]);
    const events = await collectItems(parley.events('c-1'));
    expect(summarizeEvents(events)).toEqual(['snapshot 1', 'message 2', 'done']);
    expect(events[1]?.data).toEqual(createMessageEntry(2, 'all of it'));
    expect(lastEventIds()).toEqual([undefined, '1', '1']);
  });

  it('keep a character that arrives in two parts', async () => {
    const bytes = Buffer.from(createSnapshotEvent(1) + createMessageEvent(2, 'Grüße 👋') + DONE_EVENT);
    const middle = bytes.indexOf(Buffer.from('👋')) + 2;
    const { hold: read, release } = createLatch();
    const rest = (response: ServerResponse) => void read.then(() => response.end(bytes.subarray(middle)));
    const parley = await startClient([respondWithEvents([bytes.subarray(0, middle)], rest)]);
    const data: unknown[] = [];
    for await (const event of parley.events('c-1')) {
      data.push(event.data);
      release();
    }
    expect(data[1]).toEqual(createMessageEntry(2, 'Grüße 👋'));
  });

  it('keep a character that was split by a lost connection', async () => {
    const bytes = Buffer.from(createMessageEvent(2, 'Grüße 👋'));
    const middle = bytes.indexOf(Buffer.from('👋')) + 2;
    const parley = await startClient([
      respondWithEvents([createSnapshotEvent(1), bytes.subarray(0, middle)], destroyResponse),
      respondWithEvents([bytes, DONE_EVENT]),
    ]);
    expect((await collectItems(parley.events('c-1')))[1]?.data).toEqual(createMessageEntry(2, 'Grüße 👋'));
  });

  it('may have data in several lines, with any line ending', async () => {
    const lines = JSON.stringify(createMessageEntry(2, 'Hello'), null, 1).split('\n');
    const many = ['id: 2', 'event: message', ...lines.map((line) => `data: ${line}`), '', ''];
    const parley = await startClient([
      respondWithEvents([many.join('\r'), '\r\n', many.join('\r\n').replaceAll('2', '3'), DONE_EVENT]),
    ]);
    expect(await collectItems(parley.events('c-1'))).toMatchObject([
      { event: 'message', id: 2, data: createMessageEntry(2, 'Hello') },
      { event: 'message', id: 3, data: { id: 3 } },
      { event: 'done' },
    ]);
  });

  it('skip unknown events, and remember their number', async () => {
    const unknown = [
      formatSseEvent('applause', {}, 2),
      formatSseEvent('constructor', {}, 3),
      formatSseEvent('__proto__', {}, 4),
    ];
    const parley = await startClient([
      respondWithEvents([createSnapshotEvent(1), ...unknown]),
      respondWithEvents([DONE_EVENT]),
    ]);
    expect(summarizeEvents(await collectItems(parley.events('c-1')))).toEqual(['snapshot 1', 'done']);
    expect(lastEventIds()).toEqual([undefined, '4']);
  });

  it('wait while the server has errors, before the first event and after', async () => {
    const parley = await startClient([
      respondWithProblem(503, 'temporal_unavailable', { 'retry-after': '0' }),
      respondWithProblem(429, 'rate_limited', { 'retry-after': '0' }),
      respondWithHtml(502),
      respondWithProblem(500, 'internal'),
      dropConnection,
      respondWithEvents([createSnapshotEvent(1)], destroyResponse),
      dropConnection,
      dropConnection,
      dropConnection,
      dropConnection,
      respondWithHtml(504),
      respondWithEvents([createMessageEvent(2), DONE_EVENT]),
    ]);
    expect(summarizeEvents(await collectItems(parley.events('c-1')))).toEqual(['snapshot 1', 'message 2', 'done']);
    expect(lastEventIds().slice(5)).toEqual([undefined, ...Array(6).fill('1')]);
  });

  it("follow Retry-After and retry: rather than the client's own backoff", async () => {
    const parley = await startClient(
      [
        respondWithProblem(503, 'temporal_unavailable', { 'retry-after': '0' }),
        respondWithEvents(['retry: 1\n\n', createSnapshotEvent(1)], destroyResponse),
        respondWithEvents([DONE_EVENT]),
      ],
      { timing: { firstWaitMs: 600_000, longestWaitMs: 600_000 } },
    );
    expect(summarizeEvents(await collectItems(parley.events('c-1')))).toEqual(['snapshot 1', 'done']);
  });

  it('wait longer after each failure', async () => {
    const parley = await startClient(
      [respondWithHtml(503), respondWithHtml(503), respondWithHtml(503), respondWithEvents([DONE_EVENT])],
      {
        timing: { firstWaitMs: 20 },
      },
    );
    await collectItems(parley.events('c-1'));
    const waits = server.requests
      .slice(1)
      .map(({ receivedAtMs }, i) => receivedAtMs - (server.requests[i]?.receivedAtMs ?? 0));
    // Timers may be a millisecond early.
    expect(waits[1]).toBeGreaterThanOrEqual(39);
    expect(waits[2]).toBeGreaterThanOrEqual(79);
  });

  it.each([
    ['had an event', createSnapshotEvent(1), ['snapshot 1', 'done']],
    ['had only comments', ': awake\n\n', ['done']],
    ['had a single byte', ':', ['done']],
  ])('forget earlier failures after a connection that %s', async (_what, part, expected) => {
    const failures = Array<ScriptedTurn>(24).fill(
      respondWithProblem(503, 'temporal_unavailable', { 'retry-after': '0' }),
    );
    const parley = await startClient([...failures, respondWithEvents([part]), respondWithEvents([DONE_EVENT])], {
      timing: { firstWaitMs: 1, longestWaitMs: 86_400_000 },
    });
    expect(summarizeEvents(await collectItems(parley.events('c-1')))).toEqual(expected);
  });

  it('end with done even if no events were left', async () => {
    const conversation = { id: 'c-1', status: 'failed', title: 'Hello' };
    const parley = await startClient([
      respondWithEvents([createMessageEvent(5)]),
      (response) => response.writeHead(204).end(),
      respondWithJson(200, conversation),
    ]);
    expect(await collectItems(parley.events('c-1', { after: 4 }))).toEqual([
      { event: 'message', id: 5, data: createMessageEntry(5, 'message 5') },
      { event: 'done', data: conversation },
    ]);
    expect(server.requests[2]?.url).toBe('/v1/conversations/c-1');
  });

  it('continue if the conversation was resumed at that moment', async () => {
    const parley = await startClient([
      (response) => response.writeHead(204).end(),
      respondWithJson(200, { id: 'c-1', status: 'running' }),
      respondWithEvents([createMessageEvent(6), DONE_EVENT]),
    ]);
    expect(summarizeEvents(await collectItems(parley.events('c-1', { after: 5 })))).toEqual(['message 6', 'done']);
  });

  it.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'conversation_not_found'],
    [503, 'encryption_key_missing'],
  ])('throw on %d %s', async (status, code) => {
    const parley = await startClient([respondWithEvents([createSnapshotEvent(1)]), respondWithProblem(status, code)]);
    await expect(collectItems(parley.events('c-1'))).rejects.toMatchObject({
      name: 'ParleyError',
      status,
      code,
    });
  });

  it.each([
    ['a page', respondWithHtml(200)],
    ['invalid JSON', respondWithEvents(['event: message\ndata: {"id":\n\n'], leaveResponseOpen)],
  ])('throw if %s comes in their place', async (_what, turn) => {
    const parley = await startClient([turn]);
    await expect(collectItems(parley.events('c-1'))).rejects.toMatchObject({ code: 'unexpected_response' });
  });

  it('throw if no server ever responded, after as many tries as a call', async () => {
    const parley = await startClient([dropConnection, dropConnection, dropConnection]);
    const events = collectItems(parley.events('c-1'));
    await expect(events).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining(server.url),
    });
    expect(server.requests).toHaveLength(3);
  });
});

describe('a silent stream', () => {
  it('counts as lost, whether it has begun or not, and is opened again', async () => {
    const parley = await startClient(
      [
        leaveResponseOpen,
        respondWithEvents([createSnapshotEvent(1)], leaveResponseOpen),
        respondWithEvents([createMessageEvent(2), DONE_EVENT]),
      ],
      {
        timing: { firstWaitMs: 1, silenceMs: 1_000 },
      },
    );
    expect(summarizeEvents(await collectItems(parley.events('c-1')))).toEqual(['snapshot 1', 'message 2', 'done']);
    expect(lastEventIds()).toEqual([undefined, undefined, '1']);
  });

  it('is alive as long as comments arrive', async () => {
    const silenceMs = 1_000;
    const startedAt = performance.now();
    const sendComments = (response: ServerResponse) => {
      const timer = setInterval(() => {
        if (performance.now() < startedAt + 1.3 * silenceMs) return response.write(': awake\n\n');
        clearInterval(timer);
        response.end(DONE_EVENT);
      }, 50);
      response.on('close', () => clearInterval(timer));
    };
    const parley = await startClient([respondWithEvents([createSnapshotEvent(1)], sendComments)], {
      timing: { silenceMs },
    });
    expect(summarizeEvents(await collectItems(parley.events('c-1')))).toEqual(['snapshot 1', 'done']);
  });

  it('does not count as lost while the reader is slow', async () => {
    const parley = await startClient([respondWithEvents([createSnapshotEvent(1), createMessageEvent(2), DONE_EVENT])], {
      timing: { silenceMs: 400 },
    });
    const received: string[] = [];
    for await (const event of parley.events('c-1')) {
      received.push(event.event);
      const until = performance.now() + 800;
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(received).toEqual(['snapshot', 'message', 'done']);
  });
});

describe('a stream that is no longer needed', () => {
  /** A turn that sends the parts and stays open, and a promise for when the client disconnects. */
  function watchClose(parts: string[]): { turn: ScriptedTurn; closed: Promise<unknown> } {
    let resolveClosed: (value: unknown) => void;
    const closed = new Promise((resolve) => {
      resolveClosed = resolve;
    });
    return { turn: respondWithEvents(parts, (response) => resolveClosed(once(response, 'close'))), closed };
  }

  it('is closed at once by leaving the loop', async () => {
    const { turn, closed } = watchClose([createSnapshotEvent(1), createMessageEvent(2)]);
    const parley = await startClient([turn]);
    for await (const event of parley.events('c-1')) if (event.event === 'snapshot') break;
    await closed;
  });

  it('is closed at once by done, even if the server keeps it open', async () => {
    const { turn, closed } = watchClose([DONE_EVENT]);
    const parley = await startClient([turn]);
    await collectItems(parley.events('c-1'));
    await closed;
  });

  it('is closed at once by its signal, ends quietly, and yields nothing more', async () => {
    const { turn, closed } = watchClose([createSnapshotEvent(1) + createMessageEvent(2)]);
    const parley = await startClient([turn]);
    const controller = new AbortController();
    const received: string[] = [];
    for await (const event of parley.events('c-1', { signal: controller.signal })) {
      received.push(event.event);
      controller.abort();
    }
    expect(received).toEqual(['snapshot']);
    await closed;
  });

  it('is closed by its signal while it waits for the server', async () => {
    const { turn, closed } = watchClose([': awake\n\n']);
    const parley = await startClient([turn]);
    const controller = new AbortController();
    const all = collectItems(parley.events('c-1', { signal: controller.signal }));
    await server.waitForRequests(1);
    controller.abort();
    expect(await all).toEqual([]);
    await closed;
  });

  it('is not reopened if its signal aborts between two connections', async () => {
    const parley = await startClient([respondWithHtml(503)], {
      timing: { firstWaitMs: 600_000, longestWaitMs: 600_000 },
    });
    const controller = new AbortController();
    const all = collectItems(parley.events('c-1', { signal: controller.signal }));
    await server.waitForRequests(1);
    controller.abort();
    expect(await all).toEqual([]);
  });

  it('is never opened with an aborted signal', async () => {
    const parley = await startClient([]);
    expect(await collectItems(parley.events('c-1', { signal: AbortSignal.abort() }))).toEqual([]);
  });
});

describe('the events of the inbox', () => {
  it('start with a snapshot on every connection', async () => {
    const inbox = (...ids: string[]) => formatSseEvent('snapshot', { items: ids.map((id) => ({ id })) });
    const pending = formatSseEvent('question_pending', { id: 'question-2' });
    const parley = await startClient([
      respondWithEvents([inbox('question-1'), pending, formatSseEvent('applause', {})], destroyResponse),
      respondWithHtml(502),
      respondWithEvents(
        [inbox('question-2'), formatSseEvent('question_answered', { id: 'question-2' })],
        leaveResponseOpen,
      ),
    ]);
    const received: unknown[] = [];
    for await (const event of parley.inboxEvents({ agent: 'assistant', conversation: 'c-1' })) {
      received.push(event);
      if (event.event === 'question_answered') break;
    }
    expect(received).toEqual([
      { event: 'snapshot', data: { items: [{ id: 'question-1' }] } },
      { event: 'question_pending', data: { id: 'question-2' } },
      { event: 'snapshot', data: { items: [{ id: 'question-2' }] } },
      { event: 'question_answered', data: { id: 'question-2' } },
    ]);
    expect(lastEventIds()).toEqual([undefined, undefined, undefined]);
    expect(server.requests[0]?.url).toBe('/v1/questions/events?agent=assistant&conversation=c-1');
  });

  it('throw if the key may not see them', async () => {
    const parley = await startClient([respondWithProblem(403, 'forbidden')]);
    await expect(collectItems(parley.inboxEvents())).rejects.toMatchObject({ code: 'forbidden' });
  });
});
