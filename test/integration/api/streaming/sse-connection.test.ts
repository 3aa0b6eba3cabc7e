import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { END_FRAME } from '#api/streaming/event-buffer';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, SseConnection } from '#api/streaming/sse-connection';

/** Streams of anything, with no Temporal behind them. */
describe('a viewer', () => {
  const patient: ConnectionLimits = { ...DEFAULT_CONNECTION_LIMITS, keepAliveMs: 60_000, drainMs: 60_000 };
  let close = () => undefined as unknown;
  afterEach(() => {
    jest.useRealTimers();
    return close();
  });

  /** A server for one request: where it is, and what to answer it with. */
  async function theatre(): Promise<{ port: number; asked: Promise<ServerResponse> }> {
    let ask: (response: ServerResponse) => void = () => undefined;
    const asked = new Promise<ServerResponse>((resolve) => {
      ask = resolve;
    });
    const server = createServer((_request, response) => ask(response));
    close = () => [server.close(), server.closeAllConnections()];
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port, asked };
  }

  /** Asks, and does not read what it is told. */
  function deaf(port: number): Socket {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    return socket;
  }

  const reader = (port: number) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(`http://127.0.0.1:${port}`, { agent: false }, resolve).on('error', reject);
    });

  async function textOf(response: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }

  const event = `event: tool\ndata: ${'x'.repeat(100_000)}\n\n`;

  it('that takes nothing is hung up on, and never has more than one event in our hands', async () => {
    const { port, asked } = await theatre();
    const socket = deaf(port);
    const response = await asked;
    const viewer = new SseConnection(response, { ...patient, drainMs: 200 });
    const held: number[] = [];
    await viewer.show(() => {
      held.push(response.writableLength);
      return event;
    });
    expect([response.destroyed, viewer.isHere]).toEqual([true, false]);
    expect(Math.max(...held)).toBeLessThan(event.length);
    // What the two sockets hold, and not without end.
    expect(held.length).toBeLessThan(500);
    socket.destroy();
  });

  it('of a response that arrives at its end is sent what there is, and no more', async () => {
    const { port, asked } = await theatre();
    const reading = reader(port).then(textOf);
    const texts = ['event: one\n\n', 'event: two\n\n'];
    const viewer = new SseConnection(await asked, { ...patient, isBrief: true }, 5_000);
    await viewer.show(() => texts.shift());
    expect(await reading).toBe('retry: 5000\n\nevent: one\n\nevent: two\n\n');
  });

  it('of a response that arrives at its end waits for the first news', async () => {
    const { port, asked } = await theatre();
    const reading = reader(port).then(textOf);
    const viewer = new SseConnection(await asked, { ...patient, isBrief: true });
    const texts: string[] = [];
    const shown = viewer.show(() => texts.shift());
    await new Promise(setImmediate);
    texts.push('event: news\n\n');
    viewer.wake();
    await shown;
    expect(await reading).toBe('retry: 1000\n\nevent: news\n\n');
  });

  it('stays no longer than streams last', async () => {
    const { port, asked } = await theatre();
    const reading = reader(port).then(textOf);
    const viewer = new SseConnection(await asked, { ...patient, lastingMs: 50 });
    await viewer.show(() => undefined);
    expect(await reading).toBe('retry: 1000\n\n');
  });

  it('that takes its time gets everything', async () => {
    const { port, asked } = await theatre();
    const socket = deaf(port);
    const response = await asked;
    const viewer = new SseConnection(response, patient);
    const total = 150;
    let sent = 0;
    const shown = viewer.show(() => (++sent > total ? END_FRAME : event));
    while (!response.writableNeedDrain) await new Promise(setImmediate);
    let text = '';
    socket
      .on('data', (chunk) => {
        text += chunk;
      })
      .resume();
    await shown;
    while (!text.endsWith('0\r\n\r\n')) await new Promise((resolve) => socket.once('data', resolve));
    expect(text.match(/event: tool/g)).toHaveLength(total);
    socket.destroy();
  });

  it('that takes little by little gets all of a large event, however long that takes', async () => {
    const { port, asked } = await theatre();
    const socket = deaf(port);
    const response = await asked;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    // Far more than the sockets hold, so that every step is taken from our hands.
    const [step, steps] = [12_000_000, 5];
    const large = `event: tool\ndata: ${'x'.repeat(step * steps)}\n\n`;
    const viewer = new SseConnection(response, { ...patient, keepAliveMs: 1_000, drainMs: 20_000 });
    let sent = 0;
    const shown = viewer.show(() => (++sent > 1 ? END_FRAME : large));
    let taken = 0;
    const chunks: Buffer[] = [];
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket
      .on('data', (chunk) => {
        chunks.push(chunk);
        if (Math.floor(socket.bytesRead / step) === taken) return;
        taken += 1;
        jest.advanceTimersByTime(9_000);
      })
      .resume();
    await shown;
    expect(response.destroyed).toBe(false);
    response.socket?.end();
    await closed;
    const text = Buffer.concat(chunks).toString();
    // As it came over the wire, without the lengths of its chunks: nothing has got between the pieces.
    expect(text.replace(/\r\n[0-9a-f]+\r\n/g, '').includes(large)).toBe(true);
  });

  it('hears from us now and then, also when there is nothing to tell', async () => {
    const { port, asked } = await theatre();
    const reading = reader(port);
    const viewer = new SseConnection(await asked, { ...patient, keepAliveMs: 10 });
    const shown = viewer.show(() => undefined);
    const response = await reading;
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      if (text.split('\n\n').filter((block) => block.startsWith(':')).length >= 3) break;
    }
    expect(text.replace(/^: [^\n]*\n\n/gm, '')).toBe('retry: 1000\n\n');
    await shown;
  });

  it('that hangs up is noticed', async () => {
    const { port, asked } = await theatre();
    const reading = reader(port);
    const viewer = new SseConnection(await asked, patient);
    const shown = viewer.show(() => undefined);
    (await reading).destroy();
    await shown;
    expect(viewer.isHere).toBe(false);
  });

  it('is sent away in good order', async () => {
    const { port, asked } = await theatre();
    const reading = reader(port);
    const viewer = new SseConnection(await asked, patient);
    const shown = viewer.show(() => undefined);
    const text = textOf(await reading);
    await viewer.leave();
    await shown;
    expect(await text).toBe('retry: 1000\n\n');
  });

  it('is sent away though it takes nothing', async () => {
    const { port, asked } = await theatre();
    const socket = deaf(port);
    const response = await asked;
    const viewer = new SseConnection(response, patient);
    let sent = 0;
    const shown = viewer.show(() => {
      sent += 1;
      return event;
    });
    for (let before = -1; sent > before; ) {
      before = sent;
      for (let turn = 0; turn < 1_000; turn += 1) await new Promise(setImmediate);
    }
    await viewer.leave();
    expect(response.destroyed).toBe(true);
    await shown;
    socket.destroy();
  });
});
