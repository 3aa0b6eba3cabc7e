import { connect, type Socket } from 'node:net';
import { handleMalformedRequest } from '#api/middleware/errors';
import { type HttpServer, listenForHttp } from '#api/server';

const QUICK = {
  headersTimeout: 150,
  requestTimeout: 300,
  connectionsCheckingInterval: 30,
  keepAliveTimeout: 1_000,
  idleTimeout: 400,
};

describe('whoever comes before there is anything behind it', () => {
  let door: HttpServer;
  beforeAll(async () => {
    door = await listenForHttp({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => new Promise((resolve) => door.server.close(resolve)));

  it('is told that Parley is starting, in the shape of every other error', async () => {
    const reply = await fetch(`${door.url}/v1/conversations`, { method: 'POST', body: '{}' });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '2']);
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const problem = (await reply.json()) as { detail: string };
    expect(problem).toMatchObject({ code: 'temporal_unavailable', status: 503 });
    expect(problem.detail).toMatch(/is starting.*Nothing was accepted/);
  });

  it('sees a page in a browser that comes back by itself', async () => {
    const reply = await fetch(door.url, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(reply.status).toBe(503);
    const page = await reply.text();
    expect(page).toContain('<h1 style="font-size: 1.5rem">Parley is starting</h1>');
    expect(page).toContain('<meta http-equiv="refresh" content="2">');
  });

  it('who sent something in a browser is told to send it again, and not led away from it', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8', 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await fetch(`${door.url}/a/token`, { method: 'POST', body: 'q1=A', headers });
    const page = await reply.text();
    expect(page).toMatch(/Nothing was accepted yet.*sent again/);
    expect(page).not.toContain('refresh');
  });
});

describe('whoever keeps a connection for themselves', () => {
  let door: HttpServer;
  beforeAll(async () => {
    door = await listenForHttp({ host: '127.0.0.1', port: 0 }, QUICK);
    door.server.on('clientError', handleMalformedRequest);
  });
  afterAll(() => new Promise((resolve) => door.server.close(resolve)));

  const ended = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let heard = '';
      socket.on('data', (chunk) => {
        heard += chunk;
      });
      socket.on('error', () => undefined).on('close', () => resolve(heard));
    });
  const open = (text: string) => {
    const socket = connect(Number(new URL(door.url).port), '127.0.0.1', () => socket.write(text));
    return socket;
  };

  it('by a head that comes a letter at a time is cut off, and told why', async () => {
    const socket = open('GET / HTTP/1.1\r\nhost: x\r\n');
    const drip = setInterval(() => socket.write('x: y\r\n'), 20);
    expect(await ended(socket)).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not come in time/);
    clearInterval(drip);
  });

  it('by a body that never ends is cut off', async () => {
    door.server.removeAllListeners('request');
    door.server.on('request', (request) => request.resume());
    const socket = open('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 20);
    expect(await ended(socket)).toMatch(/^HTTP\/1\.1 400 /);
    clearInterval(drip);
  });

  it('by asking for much and reading none of it is cut off', async () => {
    const much = Buffer.alloc(64 * 1024 * 1024, 'x');
    const cut = new Promise((resolve) => {
      door.server.removeAllListeners('request');
      door.server.on('request', (request, response) => {
        request.socket.once('close', resolve);
        response.end(much);
      });
    });
    const socket = open('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const heard = ended(socket);
    socket.pause();
    await cut;
    socket.resume();
    expect((await heard).length).toBeLessThan(much.length);
  });
});
