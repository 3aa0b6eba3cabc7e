import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createHttpClient } from '#infra/http-client/client';
import {
  closeLoopbackServers,
  readRefusalMessage,
  sendTestRequest,
  startLoopbackServer,
} from '#test/support/http-client/loopback-server';

afterEach(closeLoopbackServers);

describe('a response', () => {
  it('is truncated if it is too long, and marked so', async () => {
    const server = await startLoopbackServer((_, response) => response.end('x'.repeat(10_001)));
    const { body, truncated } = await sendTestRequest(server.url);
    expect([body.length, truncated]).toEqual([10_000, true]);
  });

  it('that just fits is complete', async () => {
    const server = await startLoopbackServer((_, response) => response.end('x'.repeat(10_000)));
    expect(await sendTestRequest(server.url)).toMatchObject({ body: { length: 10_000 }, truncated: false });
  });

  it('that never ends is cut off at once', async () => {
    const server = await startLoopbackServer((_, response) => {
      const writeMore = () => {
        while (!response.destroyed && response.write('x'.repeat(1_000)));
      };
      response.on('drain', writeMore);
      writeMore();
    });
    expect(await sendTestRequest(server.url)).toMatchObject({ body: { length: 10_000 }, truncated: true });
  });

  it('is not asked to be compressed, and left unchanged if it is', async () => {
    const bytes = gzipSync('hello');
    const server = await startLoopbackServer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
    );
    const { body, headers } = await sendTestRequest(server.url);
    expect(body.equals(bytes)).toBe(true);
    expect([headers['content-encoding'], server.requests[0]?.headers['accept-encoding']]).toEqual(['gzip', 'identity']);
  });

  it('to HEAD has no body, compressed or not', async () => {
    const server = await startLoopbackServer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 20 }).end(),
    );
    expect(await sendTestRequest(server.url, { method: 'HEAD' })).toMatchObject({
      status: 200,
      body: { length: 0 },
    });
  });

  it('with huge headers is rejected', async () => {
    const server = await startLoopbackServer((_, response) =>
      response.writeHead(200, { 'x-huge': 'x'.repeat(20_000) }).end(),
    );
    expect(await readRefusalMessage(sendTestRequest(server.url))).toMatch(/too many headers/);
  });

  it.each([404, 429, 500, 503])('of %i is returned', async (status) => {
    const server = await startLoopbackServer((_, response) =>
      response.writeHead(status, { 'retry-after': '7' }).end('no'),
    );
    expect(await sendTestRequest(server.url)).toMatchObject({ status, headers: { 'retry-after': '7' } });
  });
});

describe('a server that', () => {
  const shortTimeout = { timeoutMs: 200 };

  it('does not respond is waited for up to the timeout', async () => {
    const server = await startLoopbackServer(() => undefined);
    expect(await readRefusalMessage(sendTestRequest(server.url, shortTimeout))).toBe(
      'No complete response within 0.2 s.',
    );
  });

  it('sends a byte now and then is waited for up to the timeout', async () => {
    const server = await startLoopbackServer((_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(await readRefusalMessage(sendTestRequest(server.url, shortTimeout))).toBe(
      'No complete response within 0.2 s.',
    );
  });

  it('is missing, hangs up or is not HTTP is described in words, without stack or address', async () => {
    const closedServer = await startLoopbackServer(() => undefined);
    await closeLoopbackServers();
    expect(await readRefusalMessage(sendTestRequest(closedServer.url))).toBe(
      `127.0.0.1:${closedServer.port} refused the connection.`,
    );

    const hangingUpServer = await startLoopbackServer((request) => request.socket.destroy());
    expect(await readRefusalMessage(sendTestRequest(hangingUpServer.url))).toMatch(/closed the connection/);
    expect(await readRefusalMessage(sendTestRequest(hangingUpServer.url.replace('http:', 'https:')))).toMatch(
      /does not support HTTPS/,
    );

    const nonHttpServer = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')).listen(0, '127.0.0.1');
    await once(nonHttpServer, 'listening');
    const { port } = nonHttpServer.address() as { port: number };
    expect(await readRefusalMessage(sendTestRequest(`http://127.0.0.1:${port}`))).toMatch(
      /did not send a valid HTTP response/,
    );
    nonHttpServer.close();
  });
});

describe('a request', () => {
  const abortMessage = 'The request was aborted.';

  it('that is aborted ends at once, and so does its connection', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await startLoopbackServer((request) => {
      closed = once(request.socket, 'close');
    });
    const controller = new AbortController();
    const request = readRefusalMessage(sendTestRequest(server.url, { signal: controller.signal }));
    await server.firstRequest;
    controller.abort();
    expect(await request).toBe(abortMessage);
    await closed;
  });

  it('that is aborted during the body ends at once', async () => {
    const controller = new AbortController();
    const server = await startLoopbackServer((_, response) => {
      response.write('and then');
      setImmediate(() => controller.abort());
    });
    expect(await readRefusalMessage(sendTestRequest(server.url, { signal: controller.signal }))).toBe(abortMessage);
  });

  it('that is aborted during a name look-up ends at once', async () => {
    const controller = new AbortController();
    const lookup = () => {
      setImmediate(() => controller.abort());
      return new Promise<never>(() => undefined);
    };
    const request = sendTestRequest('https://slow.example/', { signal: controller.signal }, { lookup });
    expect(await readRefusalMessage(request)).toBe(abortMessage);
  });

  it('that is aborted before it starts is not made', async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    expect(await readRefusalMessage(sendTestRequest(server.url, { signal: AbortSignal.abort() }))).toBe(abortMessage);
    expect(server.requests).toEqual([]);
  });

  it('is aborted when Parley stops', async () => {
    const server = await startLoopbackServer(() => undefined);
    const httpClient = createHttpClient({ internalHosts: ['127.0.0.1'] });
    const { signal } = new AbortController();
    const options = { method: 'GET', mayCall: () => null, maxBytes: 1, timeoutMs: 10_000, signal };
    const request = readRefusalMessage(httpClient.request({ url: server.url, ...options }));
    await server.firstRequest;
    await httpClient.close();
    expect(await request).toBe(abortMessage);
  });

  it('is not made if it is not allowed, with the reason', async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    const mayCall = () => 'Only other hosts may be called.';
    expect(await readRefusalMessage(sendTestRequest(server.url, { mayCall }))).toBe('Only other hosts may be called.');
    expect(server.requests).toEqual([]);
  });

  it.each(['CONNECT', 'TRACE', 'get', 'GET / HTTP/1.1\r\nx: y'])('cannot have the method %j', async (method) => {
    const server = await startLoopbackServer((_, response) => response.end());
    await expect(sendTestRequest(server.url, { method })).rejects.toThrow('Unknown method');
    expect(server.requests).toEqual([]);
  });

  it('does not use a proxy from the environment', async () => {
    const proxy = await startLoopbackServer((_, response) => response.end('by proxy'));
    const server = await startLoopbackServer((_, response) => response.end('direct'));
    const savedEnv = { ...process.env };
    Object.assign(process.env, {
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      ALL_PROXY: proxy.url,
      NO_PROXY: '',
    });
    try {
      expect((await sendTestRequest(server.url)).body.toString()).toBe('direct');
    } finally {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NO_PROXY']) {
        if (savedEnv[name] === undefined) delete process.env[name];
        else process.env[name] = savedEnv[name];
      }
    }
    expect(proxy.requests).toEqual([]);
  });

  it('sends what it was given, and a user agent', async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    const headers = { 'Content-Type': 'text/plain' };
    await sendTestRequest(`${server.url}/a%20b?c=d#e`, { method: 'PUT', headers, body: 'grüezi' });
    expect(server.requests[0]).toMatchObject({
      method: 'PUT',
      url: '/a%20b?c=d',
      body: 'grüezi',
      headers: { 'content-type': 'text/plain', 'user-agent': 'parley', host: `127.0.0.1:${server.port}` },
    });
  });
});
