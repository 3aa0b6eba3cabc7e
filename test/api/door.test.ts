import { connect, type Socket } from 'node:net';
import { type Door, openDoor } from '../../src/api/door';
import { refuseUnreadable } from '../../src/api/errors';

const QUICK = {
  headersTimeout: 150,
  requestTimeout: 300,
  connectionsCheckingInterval: 30,
  keepAliveTimeout: 1_000,
  idleTimeout: 400,
};

describe('whoever keeps a connection for themselves', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor({ host: '127.0.0.1', port: 0 }, QUICK);
    door.server.on('clientError', refuseUnreadable);
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
