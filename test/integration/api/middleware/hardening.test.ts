import http, { type IncomingMessage, request, type Server } from 'node:http';
import { connect } from 'node:net';
import type { ApiKey } from '#contract/permissions';
import type { Problem } from '#contract/problem';
import { findApiKey, generateApiKey } from '#infra/crypto/api-keys';
import { createApiCaller, startParley, type TestParley } from '#test/support/parley/start-parley';

const ORIGIN = 'https://app.example.com';
let p: TestParley;
let server: Server;

beforeAll(async () => {
  const create = jest.spyOn(http, 'createServer');
  p = await startParley({
    startsWorker: false,
    keys: { ann: ['admin'] },
    env: { HOST: '0.0.0.0', PARLEY_CORS_ORIGINS: `${ORIGIN}, https://other.example.com` },
  });
  server = create.mock.results.at(-1)?.value;
  create.mockRestore();
});
afterAll(() => p.stop());

/** Sends what fetch would not send, or would change. */
function sendRaw(route: string, method: string, headers: http.OutgoingHttpHeaders): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(`${p.url}${route}`, { method, headers }, (response) => {
      response.resume().on('end', () => resolve(response));
    });
    clientRequest.on('error', reject).end();
  });
}

describe('every response', () => {
  it.each([
    ['JSON', '/v1/session', 200],
    ['health', '/healthz', 200],
    ['an error', '/v1/conversations/nothing-here', 404],
    ['an unknown path', '/nowhere', 404],
    ["an agent's URL with an extra slash", '/v1/agents/assistant/', 200],
  ])('limits what browsers do with it: %s', async (_what, route, status) => {
    const { headers, ...reply } = await p.call('GET', route);
    expect(reply.status).toBe(status);
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('strict-transport-security')).toMatch(/max-age=\d+/);
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('is not cached if it is about a conversation', async () => {
    const { headers } = await p.call('GET', '/v1/session');
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null]);
    const again = await p.call('GET', '/v1/session', undefined, { 'if-none-match': '*' });
    expect(again.status).toBe(200);
  });

  it('comes from Parley, whatever the request expects', async () => {
    const reply = await sendRaw('/v1/session', 'GET', { expect: 'the-unexpected' });
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([401, expect.stringContaining('problem+json')]);
    expect(reply.headers['x-request-id']).toBeDefined();
  });

  it('has those headers for errors, too', async () => {
    for (const reply of [
      await createApiCaller(p.url)('GET', '/v1/session'),
      await p.call('POST', '/v1/conversations', '{'),
      await p.call('DELETE', '/v1/agents'),
    ]) {
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('x-powered-by')).toBeNull();
    }
  });

  it('reveals nothing of the file system', async () => {
    for (const [route, body] of [
      ['/v1/conversations/%E0%A4%A', undefined],
      ['/v1/conversations', '{"message": nothing}'],
      ['/v1/conversations', '{"__proto__": {"message": "x"}}'],
    ] as const) {
      const reply = await p.call(body ? 'POST' : 'GET', route, body);
      expect(reply.status).toBe(400);
      expect(JSON.stringify(reply.body)).not.toMatch(/node_modules|\.[jt]s\b|at .+:\d+/);
    }
  });
});

describe('the id of a request', () => {
  const requestIdOf = async (requestId?: string) =>
    (await sendRaw('/healthz', 'GET', requestId === undefined ? {} : { 'x-request-id': requestId })).headers[
      'x-request-id'
    ];

  it('is the one in the request', async () => {
    expect(await requestIdOf('trace-1.A_b')).toBe('trace-1.A_b');
    expect(await requestIdOf('x'.repeat(64))).toBe('x'.repeat(64));
  });

  it.each([undefined, '', 'with space', 'x'.repeat(65), '<script>', '{"a":1}', 'é'])(
    'is generated if the request has none, or one that is unsafe in a log: %j',
    async (requestId) => {
      const [first, second] = [await requestIdOf(requestId), await requestIdOf(requestId)];
      expect(first).toMatch(/^[0-9a-f-]{36}$/);
      expect(second).not.toBe(first);
    },
  );

  it('is on errors, too, wherever they arise', async () => {
    const headers = { 'x-request-id': 'mine' };
    const replies = [
      await createApiCaller(p.url)('GET', '/v1/session', undefined, headers),
      await p.call('GET', '/nowhere', undefined, headers),
      await p.call('POST', '/v1/conversations', '{', headers),
    ];
    expect(replies.map((reply) => reply.headers.get('x-request-id'))).toEqual(['mine', 'mine', 'mine']);
  });
});

describe('another website', () => {
  const allowOrigin = 'access-control-allow-origin';

  it('may read replies if it is listed', async () => {
    for (const origin of [ORIGIN, 'https://other.example.com']) {
      const { status, headers } = await p.call('GET', '/v1/session', undefined, { origin });
      expect([status, headers.get(allowOrigin)]).toEqual([200, origin]);
      expect(headers.get('vary')).toMatch(/origin/i);
      expect(headers.get('access-control-expose-headers')).toMatch(/X-Request-Id.*Retry-After/);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it('may read errors if it is listed', async () => {
    const { status, headers } = await createApiCaller(p.url)('GET', '/v1/session', undefined, {
      origin: ORIGIN,
    });
    expect([status, headers.get(allowOrigin)]).toEqual([401, ORIGIN]);
  });

  it('may send a preflight request without a key', async () => {
    const requestedHeaders = 'authorization, content-type, idempotency-key, last-event-id, x-parley-channel';
    for (const [route, method] of [
      ['/v1/conversations', 'POST'],
      ['/v1/conversations/x/events', 'GET'],
      ['/v1/session', 'DELETE'],
    ] as const) {
      const { statusCode, headers } = await sendRaw(route, 'OPTIONS', {
        origin: ORIGIN,
        'access-control-request-method': method,
        'access-control-request-headers': requestedHeaders,
      });
      expect([statusCode, headers[allowOrigin]]).toEqual([204, ORIGIN]);
      expect(headers['access-control-allow-methods']).toContain(method);
      const allowed = headers['access-control-allow-headers']?.toLowerCase().split(',');
      expect(allowed).toEqual(expect.arrayContaining(requestedHeaders.split(', ')));
    }
  });

  it.each([
    'https://evil.example.com',
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://APP.example.com.',
    'null',
  ])('may not read anything if it is not listed: %s', async (origin) => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await sendRaw('/v1/session', method, {
        origin,
        'access-control-request-method': 'GET',
        authorization: `Bearer ${p.apiKey('ann')}`,
      });
      expect(headers[allowOrigin]).toBeUndefined();
    }
  });
});

describe('a key', () => {
  it('makes the API available to the network, under any host name', async () => {
    expect(p.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const authorization = `Bearer ${p.apiKey('ann')}`;
    for (const host of ['parley.example.com', '10.0.0.7:3000', 'localhost']) {
      expect((await sendRaw('/v1/session', 'GET', { host, authorization })).statusCode).toBe(200);
      expect((await sendRaw('/v1/session', 'GET', { host })).statusCode).toBe(401);
    }
  });

  const key = () => p.apiKey('ann');
  it.each<[string, () => http.OutgoingHttpHeaders]>([
    ['bearer in lower case', () => ({ authorization: `bearer ${key()}` })],
    ['BEARER in upper case', () => ({ authorization: `BEARER ${key()}` })],
    ['two spaces', () => ({ authorization: `Bearer  ${key()}` })],
  ])('is accepted with %s', async (_what, headers) => {
    expect((await sendRaw('/v1/session', 'GET', headers())).statusCode).toBe(200);
  });

  it.each<[string, () => http.OutgoingHttpHeaders]>([
    ['Basic', () => ({ authorization: `Basic ${Buffer.from(`ann:${key()}`).toString('base64')}` })],
    ['no scheme', () => ({ authorization: key() })],
    ['another scheme', () => ({ authorization: `Token ${key()}` })],
    ['a cookie', () => ({ cookie: `parley_session=${key()}; key=${key()}` })],
    ['another header', () => ({ 'x-api-key': key(), 'x-authorization': `Bearer ${key()}` })],
    ['a character missing', () => ({ authorization: `Bearer ${key().slice(0, -1)}` })],
    ['an extra character', () => ({ authorization: `Bearer ${key()}A` })],
    ['other case', () => ({ authorization: `Bearer ${key().toUpperCase()}` })],
    ['its hash', () => ({ authorization: `Bearer ${p.config.apiKeys?.[0]?.hash}` })],
    ['its name', () => ({ authorization: 'Bearer ann' })],
    ['nothing after Bearer', () => ({ authorization: 'Bearer ' })],
    ['two keys', () => ({ authorization: `Bearer ${key()}, Bearer ${key()}` })],
    ['a wildcard', () => ({ authorization: 'Bearer *' })],
  ])('is not accepted as %s', async (_what, headers) => {
    const { statusCode, headers: responseHeaders } = await sendRaw('/v1/session', 'GET', headers());
    expect([statusCode, responseHeaders['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('is not accepted in the URL or the body', async () => {
    const callWithoutKey = createApiCaller(p.url);
    for (const name of ['key', 'access_token', 'token', 'authorization'])
      expect((await callWithoutKey('GET', `/v1/session?${name}=${key()}`)).status).toBe(401);
    const inBody = await callWithoutKey<Problem>('POST', '/v1/conversations', { message: 'x', key: key() });
    expect([inBody.status, inBody.body.code]).toEqual([401, 'unauthenticated']);
  });

  it('is compared with all entries, wherever it is listed', () => {
    const generatedKeys = Array.from({ length: 4 }, () => generateApiKey());
    const readHashes: string[] = [];
    const keys = generatedKeys.map(({ hash }, index) => ({
      name: `k${index}`,
      scopes: [],
      get hash() {
        readHashes.push(`k${index}`);
        return hash;
      },
    })) satisfies ApiKey[];
    for (const [index, { key: given }] of generatedKeys.entries()) {
      expect(findApiKey(keys, given)?.name).toBe(`k${index}`);
      expect(readHashes.splice(0)).toEqual(['k0', 'k1', 'k2', 'k3']);
    }
    expect(findApiKey(keys, 'parley_none')).toBeUndefined();
    expect(readHashes).toHaveLength(4);
  });
});

describe('a slow or broken request', () => {
  it('is cut off', () => {
    expect(server.headersTimeout).toBe(10_000);
    expect(server.requestTimeout).toBe(30_000);
    expect(server.keepAliveTimeout).toBeGreaterThan(60_000);
  });

  it('that is not HTTP, or has too large headers, gets an error', async () => {
    const { port } = new URL(p.url);
    const sendText = (text: string) =>
      new Promise<string>((resolve, reject) => {
        let received = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
        socket.on('data', (chunk) => {
          received += chunk;
        });
        socket.on('close', () => resolve(received)).on('error', reject);
      });
    expect(await sendText('EHLO parley\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"invalid_request"/);
    expect(await sendText(`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 [\s\S]*"code":"head_too_large"/,
    );
    expect((await p.call('GET', '/healthz')).status).toBe(200);
  });
});
