import { createParley } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import {
  respondWithHtml,
  respondWithJson,
  respondWithProblem,
  type ScriptedHttpServer,
  type ScriptedTurn,
  startScriptedHttpServer,
} from '#test/support/client/scripted-http-server';

describe('an error of a call', () => {
  let server: ScriptedHttpServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  async function errorFrom(turn: ScriptedTurn): Promise<ParleyError> {
    server = await startScriptedHttpServer(turn);
    const parley = createParley({ url: server.url, retries: 0 });
    const thrown: unknown = await parley.get('c-1').catch((error: unknown) => error);
    if (!(thrown instanceof ParleyError)) throw new Error(`not a ParleyError: ${thrown}`);
    return thrown;
  }

  it("is Parley's problem, with its code and request id", async () => {
    const error = await errorFrom(respondWithProblem(404, 'conversation_not_found'));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'ParleyError',
      status: 404,
      code: 'conversation_not_found',
      message: 'It is conversation_not_found.',
      requestId: 'request-1',
      problem: { status: 404, title: 'conversation_not_found' },
    });
  });

  it('names the request id if Parley failed, to find it in the log', async () => {
    expect((await errorFrom(respondWithProblem(500, 'internal'))).message).toBe('It is internal. (request request-1)');
  });

  it("tells a proxy's page from an error of Parley", async () => {
    const error = await errorFrom(respondWithHtml(502));
    expect(error).toMatchObject({ status: 502, code: 'unexpected_response', problem: undefined });
    expect(error.message).toContain('502 Bad Gateway (text/html)');
    expect(error.message).toContain('try again later');
    expect(error.message).not.toContain('<');
  });

  it.each([
    ['a page', respondWithHtml(200)],
    ['other JSON', respondWithJson(403, { message: 'Forbidden' })],
    ['JSON that is not an object', respondWithJson(400, null)],
  ])('says to check the address if %s comes back', async (_what, turn) => {
    const error = await errorFrom(turn);
    expect(error).toMatchObject({ code: 'unexpected_response' });
    expect(error.message).toContain('Check the address');
  });

  it('says what to do if no server listens', async () => {
    const stopped = await startScriptedHttpServer();
    await stopped.stop();
    const parley = createParley({ url: stopped.url, timing: { firstWaitMs: 1 } });
    const error: ParleyError = await parley.list().catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'ParleyError', code: 'network', status: undefined });
    expect(error.message).toContain(`Can't reach Parley at ${stopped.url} (ECONNREFUSED)`);
    expect(error.message).toContain('Check that it is running');
    const writeError: ParleyError = await parley.say('c-1', 'Hello').catch((thrown) => thrown);
    expect(writeError.message).toContain('may have arrived');
  });

  it('is the reason of an abort, unchanged', async () => {
    const parley = createParley({ url: 'http://127.0.0.1:9' });
    const reason = new Error('never mind');
    await expect(parley.get('c-1', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('a request', () => {
  let server: ScriptedHttpServer;
  beforeEach(async () => {
    server = await startScriptedHttpServer(
      ...Array<ScriptedTurn>(8).fill(respondWithJson(200, { items: [], nextCursor: null })),
    );
  });
  afterEach(() => server.stop());

  const sentRequests = () => server.requests.map(({ method, url }) => `${method} ${url}`);

  it('has encoded ids, and only the filters that were given', async () => {
    const parley = createParley({ url: `${server.url}/` });
    await parley.question('a/b?c', 'ü#1');
    await parley.question('c-1');
    await parley.list();
    await parley.list({ status: 'running', limit: 5, agent: undefined, cursor: 'a=&b' });
    await parley.timeline('c-1', { after: 0 });
    await parley.inbox({ conversation: 'c-1' });
    expect(sentRequests()).toEqual([
      'GET /v1/conversations/a%2Fb%3Fc/questions/%C3%BC%231',
      'GET /v1/conversations/c-1/questions/latest',
      'GET /v1/conversations',
      'GET /v1/conversations?status=running&limit=5&cursor=a%3D%26b',
      'GET /v1/conversations/c-1/timeline?after=0',
      'GET /v1/questions?conversation=c-1',
    ]);
  });

  it('uses the routes for agents, exports and sessions', async () => {
    const parley = createParley({ url: server.url });
    await Promise.all([parley.agents(), parley.agent('assistant'), parley.export('c-1'), parley.session()]);
    expect(sentRequests().sort()).toEqual([
      'GET /v1/agents',
      'GET /v1/agents/assistant',
      'GET /v1/conversations/c-1/export',
      'GET /v1/session',
    ]);
  });

  it('asks for page after page, and for none that is not needed', async () => {
    const pages = await startScriptedHttpServer(
      respondWithJson(200, { items: [{ id: 'c-1' }, { id: 'c-2' }], nextCursor: 'two' }),
      respondWithJson(200, { items: [], nextCursor: 'three' }),
      respondWithJson(200, { items: [{ id: 'c-3' }], nextCursor: null }),
      respondWithJson(200, { items: [{ id: 'c-1' }], nextCursor: 'two' }),
    );
    const parley = createParley({ url: pages.url });
    const ids: string[] = [];
    for await (const { id } of parley.all({ agent: 'assistant' })) ids.push(id);
    expect(ids).toEqual(['c-1', 'c-2', 'c-3']);
    for await (const _one of parley.all()) break;
    await pages.stop();
    expect(pages.requests.map(({ url }) => url)).toEqual([
      '/v1/conversations?agent=assistant&limit=100',
      '/v1/conversations?agent=assistant&limit=100&cursor=two',
      '/v1/conversations?agent=assistant&limit=100&cursor=three',
      '/v1/conversations?limit=100',
    ]);
  });

  it('has the key, if there is one', async () => {
    await createParley({ url: server.url, key: 'secret' }).get('c-1');
    await createParley({ url: server.url }).get('c-1');
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', undefined]);
  });

  it('states the kind of client on writes, if it is known', async () => {
    await createParley({ url: server.url, channel: 'web' }).answer('c-1', { answer: 'Red' });
    await createParley({ url: server.url, channel: 'terminal' }).cancel('c-1');
    await createParley({ url: server.url }).say('c-1', 'Hello');
    await createParley({ url: server.url, channel: 'web' }).get('c-1');
    const channels = server.requests.map(({ headers }) => headers['x-parley-channel']);
    expect(channels).toEqual(['web', 'terminal', undefined, undefined]);
  });

  it.each(['', '.', '..'])('is not sent for the id %j, which would be another path', async (id) => {
    const parley = createParley({ url: server.url });
    await expect(parley.get(id)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(parley.answer('c-1', { answer: 'Red', question: id })).rejects.toThrow('Nothing was sent');
    expect(sentRequests()).toEqual([]);
  });

  it('uses the given fetch', async () => {
    const urls: unknown[] = [];
    const customFetch: typeof fetch = (input, init) => {
      urls.push(input);
      return fetch(input, init);
    };
    await createParley({ url: server.url, fetch: customFetch }).agents();
    expect(urls).toEqual([`${server.url}/v1/agents`]);
  });
});
