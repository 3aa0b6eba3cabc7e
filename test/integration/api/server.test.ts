import { connect, type Socket } from 'node:net';
import { handleMalformedRequest } from '#api/middleware/errors';
import { type HttpServer, listenForHttp } from '#api/server';

const SHORT_TIMEOUTS = {
  headersTimeout: 150,
  requestTimeout: 300,
  connectionsCheckingInterval: 30,
  keepAliveTimeout: 1_000,
  idleTimeout: 400,
};

describe('a client during startup', () => {
  let httpServer: HttpServer;
  beforeAll(async () => {
    httpServer = await listenForHttp({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => new Promise((resolve) => httpServer.server.close(resolve)));

  it('gets the usual error format, which says that Parley is starting', async () => {
    const reply = await fetch(`${httpServer.url}/v1/conversations`, { method: 'POST', body: '{}' });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '2']);
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const problem = (await reply.json()) as { detail: string };
    expect(problem).toMatchObject({ code: 'temporal_unavailable', status: 503 });
    expect(problem.detail).toMatch(/is starting.*Nothing was accepted/);
  });

  it('gets a page that reloads by itself in a browser', async () => {
    const reply = await fetch(httpServer.url, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(reply.status).toBe(503);
    expect(await reply.text()).toContain('Parley is starting');
    expect(reply.headers.get('refresh')).toBe('2');
  });

  it('stays on the page that asks to send again after a form submission', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8', 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await fetch(`${httpServer.url}/a/token`, { method: 'POST', body: 'q1=A', headers });
    expect(await reply.text()).toContain('Nothing was accepted');
    expect(reply.headers.get('refresh')).toBeNull();
  });
});

describe('a client that occupies a connection', () => {
  let httpServer: HttpServer;
  beforeAll(async () => {
    httpServer = await listenForHttp({ host: '127.0.0.1', port: 0 }, SHORT_TIMEOUTS);
    httpServer.server.on('clientError', handleMalformedRequest);
  });
  afterAll(() => new Promise((resolve) => httpServer.server.close(resolve)));

  const readUntilClosed = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', () => undefined).on('close', () => resolve(received));
    });
  const sendRaw = (text: string) => {
    const socket = connect(Number(new URL(httpServer.url).port), '127.0.0.1', () => socket.write(text));
    return socket;
  };

  it('with headers that arrive byte by byte is cut off with an error', async () => {
    const socket = sendRaw('GET / HTTP/1.1\r\nhost: x\r\n');
    const interval = setInterval(() => socket.write('x: y\r\n'), 20);
    expect(await readUntilClosed(socket)).toMatch(/^HTTP\/1\.1 400 [\s\S]*took too long/);
    clearInterval(interval);
  });

  it('with a body that never ends is cut off', async () => {
    httpServer.server.removeAllListeners('request');
    httpServer.server.on('request', (request) => request.resume());
    const socket = sendRaw('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n');
    const interval = setInterval(() => socket.write('x'), 20);
    expect(await readUntilClosed(socket)).toMatch(/^HTTP\/1\.1 400 /);
    clearInterval(interval);
  });

  it('with many requests whose replies it does not read is cut off', async () => {
    const largeBody = Buffer.alloc(64 * 1024 * 1024, 'x');
    const disconnected = new Promise((resolve) => {
      httpServer.server.removeAllListeners('request');
      httpServer.server.on('request', (request, response) => {
        request.socket.once('close', resolve);
        response.end(largeBody);
      });
    });
    const socket = sendRaw('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const received = readUntilClosed(socket);
    socket.pause();
    await disconnected;
    socket.resume();
    expect((await received).length).toBeLessThan(largeBody.length);
  });
});
