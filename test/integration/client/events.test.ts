import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createParley, type Parley } from '#client/parley';
import type { Options } from '#client/settings';
import {
  hangUp,
  page,
  problem,
  reply,
  type ScriptedServer,
  scriptedServer,
  type Turn,
} from '#test/support/client/scripted-server';
import {
  brief,
  collect,
  done,
  drop,
  event,
  finish,
  hold,
  message,
  said,
  snapshot,
  sse,
} from '#test/support/client/sse';
import { latch } from '#test/support/scripted-model';

let server: ScriptedServer;
afterEach(() => server.stop());

async function facing(turns: Turn[], options: Partial<Options> = {}): Promise<Parley> {
  server = await scriptedServer(...turns);
  return createParley({ url: server.url, key: 'secret', timing: { firstWaitMs: 1 }, ...options });
}

const lastEventIds = () => server.requests.map(({ headers }) => headers['last-event-id']);

describe('the events of a conversation', () => {
  it('come as they are told, and end with done', async () => {
    const parts = [snapshot(1), ': awake\n\n', event('delta', { text: 'Hel' }), message(2, 'Hello'), done];
    const parley = await facing([sse(parts, hold)]);
    expect(await collect(parley.events('c-1'))).toEqual([
      { event: 'snapshot', id: 1, data: { id: 'c-1', status: 'running' } },
      { event: 'delta', data: { text: 'Hel' } },
      { event: 'message', id: 2, data: said(2, 'Hello') },
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

  it('go on after the number that was given', async () => {
    const parley = await facing([sse([message(1), done]), sse([message(8), done])]);
    await collect(parley.events('c-1', { after: 0 }));
    await collect(parley.events('c-1', { after: 7 }));
    expect(lastEventIds()).toEqual(['0', '7']);
  });

  it.each([
    ['is cut', drop],
    ['is closed by a server that stops', finish],
  ])('go on where they were when the connection %s, and none comes twice', async (_what, lose) => {
    const parley = await facing([
      sse([snapshot(3), message(4), event('delta', { text: 'five' })], lose),
      sse([], lose),
      sse([message(3), message(4), message(5), message(5), snapshot(6), message(6), message(7), done]),
    ]);
    expect(brief(await collect(parley.events('c-1')))).toEqual([
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

  it('go on from a snapshot, also where its number is lower than the last', async () => {
    const parley = await facing([
      sse([snapshot(9), message(10)]),
      sse([snapshot(3), message(3), message(4)]),
      sse([snapshot(4), message(5), done]),
    ]);
    expect(brief(await collect(parley.events('c-1')))).toEqual([
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

  it('are whole where the connection is cut in the middle of one', async () => {
    const whole = message(2, 'all of it');
    const parley = await facing([
      sse([snapshot(1), whole.slice(0, 40)], drop),
      sse([whole.slice(0, -1)], drop),
      sse([whole, done]),
    ]);
    const events = await collect(parley.events('c-1'));
    expect(brief(events)).toEqual(['snapshot 1', 'message 2', 'done']);
    expect(events[1]?.data).toEqual(said(2, 'all of it'));
    expect(lastEventIds()).toEqual([undefined, '1', '1']);
  });

  it('keep a character that comes in two parts', async () => {
    const bytes = Buffer.from(snapshot(1) + message(2, 'Grüße 👋') + done);
    const middle = bytes.indexOf(Buffer.from('👋')) + 2;
    const { hold: read, release } = latch();
    const rest = (response: ServerResponse) => void read.then(() => response.end(bytes.subarray(middle)));
    const parley = await facing([sse([bytes.subarray(0, middle)], rest)]);
    const data: unknown[] = [];
    for await (const one of parley.events('c-1')) {
      data.push(one.data);
      release();
    }
    expect(data[1]).toEqual(said(2, 'Grüße 👋'));
  });

  it('keep a character that was cut in two with its connection', async () => {
    const bytes = Buffer.from(message(2, 'Grüße 👋'));
    const middle = bytes.indexOf(Buffer.from('👋')) + 2;
    const parley = await facing([sse([snapshot(1), bytes.subarray(0, middle)], drop), sse([bytes, done])]);
    expect((await collect(parley.events('c-1')))[1]?.data).toEqual(said(2, 'Grüße 👋'));
  });

  it('may have their data in several lines, and lines may end in any way', async () => {
    const lines = JSON.stringify(said(2, 'Hello'), null, 1).split('\n');
    const many = ['id: 2', 'event: message', ...lines.map((line) => `data: ${line}`), '', ''];
    const parley = await facing([
      sse([many.join('\r'), '\r\n', many.join('\r\n').replaceAll('2', '3'), done]),
    ]);
    expect(await collect(parley.events('c-1'))).toMatchObject([
      { event: 'message', id: 2, data: said(2, 'Hello') },
      { event: 'message', id: 3, data: { id: 3 } },
      { event: 'done' },
    ]);
  });

  it('leave out what this client does not know, and remember its number', async () => {
    const unknown = [event('applause', {}, 2), event('constructor', {}, 3), event('__proto__', {}, 4)];
    const parley = await facing([sse([snapshot(1), ...unknown]), sse([done])]);
    expect(brief(await collect(parley.events('c-1')))).toEqual(['snapshot 1', 'done']);
    expect(lastEventIds()).toEqual([undefined, '4']);
  });

  it('wait out a server in trouble, before the first and after', async () => {
    const parley = await facing([
      problem(503, 'temporal_unavailable', { 'retry-after': '0' }),
      problem(429, 'rate_limited', { 'retry-after': '0' }),
      page(502),
      problem(500, 'internal'),
      hangUp,
      sse([snapshot(1)], drop),
      hangUp,
      hangUp,
      hangUp,
      hangUp,
      page(504),
      sse([message(2), done]),
    ]);
    expect(brief(await collect(parley.events('c-1')))).toEqual(['snapshot 1', 'message 2', 'done']);
    expect(lastEventIds().slice(5)).toEqual([undefined, ...Array(6).fill('1')]);
  });

  it('go by Retry-After and by retry:, and not by their own patience', async () => {
    const parley = await facing(
      [
        problem(503, 'temporal_unavailable', { 'retry-after': '0' }),
        sse(['retry: 1\n\n', snapshot(1)], drop),
        sse([done]),
      ],
      { timing: { firstWaitMs: 600_000, longestWaitMs: 600_000 } },
    );
    expect(brief(await collect(parley.events('c-1')))).toEqual(['snapshot 1', 'done']);
  });

  it('wait longer after each failure', async () => {
    const parley = await facing([page(503), page(503), page(503), sse([done])], {
      timing: { firstWaitMs: 20 },
    });
    await collect(parley.events('c-1'));
    const waits = server.requests.slice(1).map(({ at }, i) => at - (server.requests[i]?.at ?? 0));
    // Timers may be a millisecond early.
    expect(waits[1]).toBeGreaterThanOrEqual(39);
    expect(waits[2]).toBeGreaterThanOrEqual(79);
  });

  it.each([
    ['told something', snapshot(1), ['snapshot 1', 'done']],
    ['was only kept awake', ': awake\n\n', ['done']],
    ['had a single byte', ':', ['done']],
  ])('do not hold old failures against a connection that %s', async (_what, part, told) => {
    const failures = Array<Turn>(24).fill(problem(503, 'temporal_unavailable', { 'retry-after': '0' }));
    const parley = await facing([...failures, sse([part]), sse([done])], {
      timing: { firstWaitMs: 1, longestWaitMs: 86_400_000 },
    });
    expect(brief(await collect(parley.events('c-1')))).toEqual(told);
  });

  it('end with done also where nothing was left to tell', async () => {
    const conversation = { id: 'c-1', status: 'failed', title: 'Hello' };
    const parley = await facing([
      sse([message(5)]),
      (response) => response.writeHead(204).end(),
      reply(200, conversation),
    ]);
    expect(await collect(parley.events('c-1', { after: 4 }))).toEqual([
      { event: 'message', id: 5, data: said(5, 'message 5') },
      { event: 'done', data: conversation },
    ]);
    expect(server.requests[2]?.url).toBe('/v1/conversations/c-1');
  });

  it('go on where the conversation was taken up again just then', async () => {
    const parley = await facing([
      (response) => response.writeHead(204).end(),
      reply(200, { id: 'c-1', status: 'running' }),
      sse([message(6), done]),
    ]);
    expect(brief(await collect(parley.events('c-1', { after: 5 })))).toEqual(['message 6', 'done']);
  });

  it.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'conversation_not_found'],
    [503, 'encryption_key_missing'],
  ])('throw on %d %s', async (status, code) => {
    const parley = await facing([sse([snapshot(1)]), problem(status, code)]);
    await expect(collect(parley.events('c-1'))).rejects.toMatchObject({ name: 'ParleyError', status, code });
  });

  it.each([
    ['a page', page(200)],
    ['no JSON', sse(['event: message\ndata: {"id":\n\n'], hold)],
  ])('throw where %s comes in their place', async (_what, turn) => {
    const parley = await facing([turn]);
    await expect(collect(parley.events('c-1'))).rejects.toMatchObject({ code: 'unexpected_response' });
  });

  it('throw where nobody ever answered, after as many tries as a call', async () => {
    const parley = await facing([hangUp, hangUp, hangUp]);
    const given = collect(parley.events('c-1'));
    await expect(given).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining(server.url),
    });
    expect(server.requests).toHaveLength(3);
  });
});

describe('a stream that says nothing', () => {
  it('is taken for dead, whether it has begun or not, and opened again', async () => {
    const parley = await facing([hold, sse([snapshot(1)], hold), sse([message(2), done])], {
      timing: { firstWaitMs: 1, silenceMs: 1_000 },
    });
    expect(brief(await collect(parley.events('c-1')))).toEqual(['snapshot 1', 'message 2', 'done']);
    expect(lastEventIds()).toEqual([undefined, undefined, '1']);
  });

  it('is alive as long as comments come', async () => {
    const silenceMs = 1_000;
    const began = performance.now();
    const chat = (response: ServerResponse) => {
      const timer = setInterval(() => {
        if (performance.now() < began + 1.3 * silenceMs) return response.write(': awake\n\n');
        clearInterval(timer);
        response.end(done);
      }, 50);
      response.on('close', () => clearInterval(timer));
    };
    const parley = await facing([sse([snapshot(1)], chat)], { timing: { silenceMs } });
    expect(brief(await collect(parley.events('c-1')))).toEqual(['snapshot 1', 'done']);
  });

  it('is not taken for dead while it is the reader who is slow', async () => {
    const parley = await facing([sse([snapshot(1), message(2), done])], { timing: { silenceMs: 400 } });
    const seen: string[] = [];
    for await (const one of parley.events('c-1')) {
      seen.push(one.event);
      const until = performance.now() + 800;
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toEqual(['snapshot', 'message', 'done']);
  });
});

describe('a stream that is not wanted any more', () => {
  /** Tells the parts, stays open, and says when the client has gone. */
  function watched(parts: string[]): { turn: Turn; closed: Promise<unknown> } {
    let gone: (value: unknown) => void;
    const closed = new Promise((resolve) => {
      gone = resolve;
    });
    return { turn: sse(parts, (response) => gone(once(response, 'close'))), closed };
  }

  it('is closed at once by leaving the loop', async () => {
    const { turn, closed } = watched([snapshot(1), message(2)]);
    const parley = await facing([turn]);
    for await (const one of parley.events('c-1')) if (one.event === 'snapshot') break;
    await closed;
  });

  it('is closed at once by done, though the server would keep it open', async () => {
    const { turn, closed } = watched([done]);
    const parley = await facing([turn]);
    await collect(parley.events('c-1'));
    await closed;
  });

  it('is closed at once by its signal, ends quietly, and tells nothing more', async () => {
    const { turn, closed } = watched([snapshot(1) + message(2)]);
    const parley = await facing([turn]);
    const abort = new AbortController();
    const seen: string[] = [];
    for await (const one of parley.events('c-1', { signal: abort.signal })) {
      seen.push(one.event);
      abort.abort();
    }
    expect(seen).toEqual(['snapshot']);
    await closed;
  });

  it('is closed by its signal while it waits for the server', async () => {
    const { turn, closed } = watched([': awake\n\n']);
    const parley = await facing([turn]);
    const abort = new AbortController();
    const all = collect(parley.events('c-1', { signal: abort.signal }));
    await server.received(1);
    abort.abort();
    expect(await all).toEqual([]);
    await closed;
  });

  it('is not opened again when its signal is aborted between two connections', async () => {
    const parley = await facing([page(503)], { timing: { firstWaitMs: 600_000, longestWaitMs: 600_000 } });
    const abort = new AbortController();
    const all = collect(parley.events('c-1', { signal: abort.signal }));
    await server.received(1);
    abort.abort();
    expect(await all).toEqual([]);
  });

  it('is never opened with a signal that was aborted before', async () => {
    const parley = await facing([]);
    expect(await collect(parley.events('c-1', { signal: AbortSignal.abort() }))).toEqual([]);
  });
});

describe('the events of the inbox', () => {
  it('begin with a snapshot on every connection', async () => {
    const inbox = (...ids: string[]) => event('snapshot', { items: ids.map((id) => ({ id })) });
    const asked = event('question_pending', { id: 'question-2' });
    const parley = await facing([
      sse([inbox('question-1'), asked, event('applause', {})], drop),
      page(502),
      sse([inbox('question-2'), event('question_answered', { id: 'question-2' })], hold),
    ]);
    const seen: unknown[] = [];
    for await (const one of parley.inboxEvents({ agent: 'assistant', conversation: 'c-1' })) {
      seen.push(one);
      if (one.event === 'question_answered') break;
    }
    expect(seen).toEqual([
      { event: 'snapshot', data: { items: [{ id: 'question-1' }] } },
      { event: 'question_pending', data: { id: 'question-2' } },
      { event: 'snapshot', data: { items: [{ id: 'question-2' }] } },
      { event: 'question_answered', data: { id: 'question-2' } },
    ]);
    expect(lastEventIds()).toEqual([undefined, undefined, undefined]);
    expect(server.requests[0]?.url).toBe('/v1/questions/events?agent=assistant&conversation=c-1');
  });

  it('throw where they are not yours to see', async () => {
    const parley = await facing([problem(403, 'forbidden')]);
    await expect(collect(parley.inboxEvents())).rejects.toMatchObject({ code: 'forbidden' });
  });
});
