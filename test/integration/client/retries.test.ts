import type { ClientOptions } from '#client/options';
import { createParley, type ParleyClient } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import {
  dropConnection,
  respondTruncated,
  respondWithHtml,
  respondWithJson,
  respondWithProblem,
  type ScriptedHttpServer,
  type ScriptedTurn,
  startScriptedHttpServer,
} from '#test/support/client/scripted-http-server';

describe('a call that fails', () => {
  let server: ScriptedHttpServer;
  afterEach(() => server.stop());

  async function startClient(turns: ScriptedTurn[], options: Partial<ClientOptions> = {}): Promise<ParleyClient> {
    server = await startScriptedHttpServer(...turns);
    return createParley({ url: server.url, timing: { firstWaitMs: 1 }, ...options });
  }

  const unavailable = respondWithProblem(503, 'temporal_unavailable', { 'retry-after': '0' });
  const limited = respondWithProblem(429, 'rate_limited', { 'retry-after': '0' });
  const success = respondWithJson(200, { id: 'c-1' });

  it.each([
    ['503', unavailable],
    ['429', limited],
    ['503 of a proxy', respondWithHtml(503)],
    ['dropped connection', dropConnection],
    ['truncated body', respondTruncated],
  ])('is repeated with the same key after a %s', async (_what, failure) => {
    const parley = await startClient([failure, failure, success]);
    expect(await parley.start({ message: 'Hello' })).toEqual({ id: 'c-1' });
    expect(server.requests).toHaveLength(3);
    const [first] = server.requests;
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    for (const { method, headers, body } of server.requests) {
      expect([method, body]).toEqual(['POST', '{"message":"Hello"}']);
      expect(headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    }
  });

  it('has its own key each time, unless one is given', async () => {
    const parley = await startClient([success, success, success]);
    await parley.say('c-1', 'Hello');
    await parley.say('c-1', 'Hello');
    await parley.cancel('c-1', undefined, { idempotencyKey: 'mine' });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
  });

  it('is repeated if it reads, too', async () => {
    const parley = await startClient([dropConnection, unavailable, success]);
    expect(await parley.get('c-1')).toEqual({ id: 'c-1' });
  });

  it.each([
    respondWithProblem(400, 'invalid_request'),
    respondWithProblem(401, 'unauthenticated'),
    respondWithProblem(409, 'question_answered'),
    respondWithProblem(500, 'internal'),
    respondWithProblem(503, 'encryption_key_missing', { 'retry-after': '0' }),
    respondWithHtml(502),
    respondWithHtml(504),
    respondWithHtml(200),
  ])('is not repeated if that would not help', async (response) => {
    const parley = await startClient([response]);
    await expect(parley.say('c-1', 'Hello')).rejects.toBeInstanceOf(ParleyError);
    expect(server.requests).toHaveLength(1);
  });

  it('gives up after the configured retries, with the last error', async () => {
    const parley = await startClient([dropConnection, limited, unavailable]);
    const call = parley.say('c-1', 'Hello');
    await expect(call).rejects.toMatchObject({ code: 'temporal_unavailable', status: 503 });
    expect(server.requests).toHaveLength(3);
  });

  it('is sent once with no retries', async () => {
    const parley = await startClient([unavailable], { retries: 0 });
    await expect(parley.say('c-1', 'Hello')).rejects.toMatchObject({ code: 'temporal_unavailable' });
  });

  it('follows Retry-After rather than its own backoff', async () => {
    const parley = await startClient([unavailable, success], {
      timing: { firstWaitMs: 600_000, longestWaitMs: 600_000 },
    });
    expect(await parley.get('c-1')).toEqual({ id: 'c-1' });
  });

  it.each([
    ['seconds', '3600'],
    ['a date', new Date(Date.now() + 3_600_000).toUTCString()],
  ])('waits for a Retry-After in %s, up to the maximum delay', async (_what, retryAfter) => {
    const failure = respondWithProblem(503, 'temporal_unavailable', { 'retry-after': retryAfter });
    const parley = await startClient([failure, success], { timing: { firstWaitMs: 1, longestWaitMs: 100 } });
    await parley.get('c-1');
    const [first, second] = server.requests;
    // Timers may be a millisecond early.
    expect((second?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeGreaterThanOrEqual(98);
  });

  it('stops waiting when it is aborted, with the given reason', async () => {
    const parley = await startClient([respondWithProblem(503, 'temporal_unavailable', { 'retry-after': '600' })], {
      timing: { longestWaitMs: 600_000 },
    });
    const abort = new AbortController();
    const call = parley.say('c-1', 'Hello', { signal: abort.signal });
    await server.waitForRequests(1);
    const reason = new Error('the person left');
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});
