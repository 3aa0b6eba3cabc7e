import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { END_FRAME } from '#api/streaming/event-buffer';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, SseConnection } from '#api/streaming/sse-connection';

/** Streams of any content, without Temporal. */
describe('a viewer', () => {
  const patientLimits: ConnectionLimits = { ...DEFAULT_CONNECTION_LIMITS, keepAliveMs: 60_000, drainMs: 60_000 };
  let close = () => undefined as unknown;
  afterEach(() => {
    jest.useRealTimers();
    return close();
  });

  /** A server for one request: its port, and the pending response. */
  async function startServer(): Promise<{ port: number; pendingResponse: Promise<ServerResponse> }> {
    let resolveResponse: (response: ServerResponse) => void = () => undefined;
    const pendingResponse = new Promise<ServerResponse>((resolve) => {
      resolveResponse = resolve;
    });
    const server = createServer((_request, response) => resolveResponse(response));
    close = () => [server.close(), server.closeAllConnections()];
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port, pendingResponse };
  }

  /** Sends the request and does not read the response. */
  function connectWithoutReading(port: number): Socket {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    return socket;
  }

  const openReader = (port: number) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(`http://127.0.0.1:${port}`, { agent: false }, resolve).on('error', reject);
    });

  async function readText(response: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }

  const event = `event: tool\ndata: ${'x'.repeat(100_000)}\n\n`;

  it('that reads nothing is disconnected, and never has more than one event buffered', async () => {
    const { port, pendingResponse } = await startServer();
    const socket = connectWithoutReading(port);
    const response = await pendingResponse;
    const connection = new SseConnection(response, { ...patientLimits, drainMs: 200 });
    const bufferedLengths: number[] = [];
    await connection.stream(() => {
      bufferedLengths.push(response.writableLength);
      return event;
    });
    expect([response.destroyed, connection.isOpen]).toEqual([true, false]);
    expect(Math.max(...bufferedLengths)).toBeLessThan(event.length);
    // What the two sockets buffer, which is limited.
    expect(bufferedLengths.length).toBeLessThan(500);
    socket.destroy();
  });

  it('of a response that is about to end gets what there is, and no more', async () => {
    const { port, pendingResponse } = await startServer();
    const reading = openReader(port).then(readText);
    const texts = ['event: one\n\n', 'event: two\n\n'];
    const connection = new SseConnection(await pendingResponse, { ...patientLimits, isSingleBatch: true }, 5_000);
    await connection.stream(() => texts.shift());
    expect(await reading).toBe('retry: 5000\n\nevent: one\n\nevent: two\n\n');
  });

  it('of a response that is about to end waits for the first event', async () => {
    const { port, pendingResponse } = await startServer();
    const reading = openReader(port).then(readText);
    const connection = new SseConnection(await pendingResponse, { ...patientLimits, isSingleBatch: true });
    const texts: string[] = [];
    const streaming = connection.stream(() => texts.shift());
    await new Promise(setImmediate);
    texts.push('event: news\n\n');
    connection.wake();
    await streaming;
    expect(await reading).toBe('retry: 1000\n\nevent: news\n\n');
  });

  it('is disconnected at the maximum duration of streams', async () => {
    const { port, pendingResponse } = await startServer();
    const reading = openReader(port).then(readText);
    const connection = new SseConnection(await pendingResponse, { ...patientLimits, maxDurationMs: 50 });
    await connection.stream(() => undefined);
    expect(await reading).toBe('retry: 1000\n\n');
  });

  it('that reads slowly gets everything', async () => {
    const { port, pendingResponse } = await startServer();
    const socket = connectWithoutReading(port);
    const response = await pendingResponse;
    const connection = new SseConnection(response, patientLimits);
    const total = 150;
    let frameCount = 0;
    const streaming = connection.stream(() => (++frameCount > total ? END_FRAME : event));
    while (!response.writableNeedDrain) await new Promise(setImmediate);
    let text = '';
    socket
      .on('data', (chunk) => {
        text += chunk;
      })
      .resume();
    await streaming;
    while (!text.endsWith('0\r\n\r\n')) await new Promise((resolve) => socket.once('data', resolve));
    expect(text.match(/event: tool/g)).toHaveLength(total);
    socket.destroy();
  });

  it('that reads little by little gets all of a large event, however long that takes', async () => {
    const { port, pendingResponse } = await startServer();
    const socket = connectWithoutReading(port);
    const response = await pendingResponse;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    // Far more than the sockets buffer, so that every step is written as they drain.
    const [step, steps] = [12_000_000, 5];
    const large = `event: tool\ndata: ${'x'.repeat(step * steps)}\n\n`;
    const connection = new SseConnection(response, { ...patientLimits, keepAliveMs: 1_000, drainMs: 20_000 });
    let frameCount = 0;
    const streaming = connection.stream(() => (++frameCount > 1 ? END_FRAME : large));
    let stepsRead = 0;
    const chunks: Buffer[] = [];
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket
      .on('data', (chunk) => {
        chunks.push(chunk);
        if (Math.floor(socket.bytesRead / step) === stepsRead) return;
        stepsRead += 1;
        jest.advanceTimersByTime(9_000);
      })
      .resume();
    await streaming;
    expect(response.destroyed).toBe(false);
    response.socket?.end();
    await closed;
    const text = Buffer.concat(chunks).toString();
    // The bytes on the wire, without chunk lengths: nothing was written in between.
    expect(text.replace(/\r\n[0-9a-f]+\r\n/g, '').includes(large)).toBe(true);
  });

  it('gets a comment now and then, even without events', async () => {
    const { port, pendingResponse } = await startServer();
    const reading = openReader(port);
    const connection = new SseConnection(await pendingResponse, { ...patientLimits, keepAliveMs: 10 });
    const streaming = connection.stream(() => undefined);
    const response = await reading;
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      if (text.split('\n\n').filter((block) => block.startsWith(':')).length >= 3) break;
    }
    expect(text.replace(/^: [^\n]*\n\n/gm, '')).toBe('retry: 1000\n\n');
    await streaming;
  });

  it('that disconnects is noticed', async () => {
    const { port, pendingResponse } = await startServer();
    const reading = openReader(port);
    const connection = new SseConnection(await pendingResponse, patientLimits);
    const streaming = connection.stream(() => undefined);
    (await reading).destroy();
    await streaming;
    expect(connection.isOpen).toBe(false);
  });

  it('is disconnected in order', async () => {
    const { port, pendingResponse } = await startServer();
    const reading = openReader(port);
    const connection = new SseConnection(await pendingResponse, patientLimits);
    const streaming = connection.stream(() => undefined);
    const text = readText(await reading);
    await connection.close();
    await streaming;
    expect(await text).toBe('retry: 1000\n\n');
  });

  it('is disconnected even if it reads nothing', async () => {
    const { port, pendingResponse } = await startServer();
    const socket = connectWithoutReading(port);
    const response = await pendingResponse;
    const connection = new SseConnection(response, patientLimits);
    let frameCount = 0;
    const streaming = connection.stream(() => {
      frameCount += 1;
      return event;
    });
    for (let before = -1; frameCount > before; ) {
      before = frameCount;
      for (let turn = 0; turn < 1_000; turn += 1) await new Promise(setImmediate);
    }
    await connection.close();
    expect(response.destroyed).toBe(true);
    await streaming;
    socket.destroy();
  });
});
