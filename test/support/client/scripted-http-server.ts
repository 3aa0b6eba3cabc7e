import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  receivedAtMs: number;
}

/** The response to one request. */
export type ScriptedTurn = (response: ServerResponse) => void;

export interface ScriptedHttpServer {
  url: string;
  requests: ReceivedRequest[];
  /** Resolves when that many requests have arrived. */
  waitForRequests(count: number): Promise<void>;
  /** Stops the server. Throws if there were unexpected requests. */
  stop(): Promise<void>;
}

/** Starts an HTTP server that answers each request with the next turn. Records requests beyond the last turn. */
export async function startScriptedHttpServer(...turns: ScriptedTurn[]): Promise<ScriptedHttpServer> {
  const requests: ReceivedRequest[] = [];
  const unexpected: string[] = [];
  let waiters: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const turn = turns[requests.length];
    const received = { method, url, headers, body: '', receivedAtMs: performance.now() };
    requests.push(received);
    received.body = await text(request).catch(() => '');
    for (const resolve of waiters.splice(0)) resolve();
    if (turn) return turn(response);
    unexpected.push(`${method} ${url} was not expected`);
    response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async waitForRequests(count) {
      while (requests.length < count) await new Promise<void>((resolve) => waiters.push(resolve));
    },
    async stop() {
      waiters = [];
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (unexpected.length > 0) throw new Error(unexpected.join('\n'));
    },
  };
}

export function respondWithJson(status: number, body: unknown, headers: Record<string, string> = {}): ScriptedTurn {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function respondWithProblem(status: number, code: string, headers: Record<string, string> = {}): ScriptedTurn {
  const body = { type: `/docs/errors#${code}`, title: code, status, code, detail: `It is ${code}.` };
  return respondWithJson(status, body, {
    'content-type': 'application/problem+json',
    'x-request-id': 'request-1',
    ...headers,
  });
}

export function respondWithHtml(status: number): ScriptedTurn {
  return (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>nginx</h1></html>');
}

/** Closes the connection without a response. */
export const dropConnection: ScriptedTurn = (response) => response.destroy();

/** Sends part of a body, then closes the connection. */
export const respondTruncated: ScriptedTurn = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":', () => response.destroy());
};

/** Writes each part as a separate chunk, then calls `then`. */
export function respondWithEvents(
  parts: (string | Buffer)[],
  then: (response: ServerResponse) => void = endResponse,
): ScriptedTurn {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders();
    for (const part of parts.slice(0, -1)) response.write(part);
    response.write(parts.at(-1) ?? '\n', () => then(response));
  };
}

/** Ends the stream, as a server does when it shuts down. */
export const endResponse = (response: ServerResponse) => void response.end();
/** Destroys the connection, as a network failure does. */
export const destroyResponse = (response: ServerResponse) => void response.destroy();
export const leaveResponseOpen = () => undefined;

export function formatSseEvent(name: string, data: unknown, id?: number): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `${idLine}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const createMessageEntry = (id: number, text: string) => ({
  id,
  at: '2026-11-16T09:30:00.000Z',
  kind: 'message',
  role: 'assistant',
  text,
});

export const createMessageEvent = (id: number, text = `message ${id}`) =>
  formatSseEvent('message', createMessageEntry(id, text), id);
export const createSnapshotEvent = (id: number) => formatSseEvent('snapshot', { id: 'c-1', status: 'running' }, id);
export const DONE_EVENT = formatSseEvent('done', { id: 'c-1', status: 'completed' });

export async function collectItems<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Summarises events, such as `snapshot 3` or `delta`. */
export function summarizeEvents(events: { event: string; id?: number }[]): string[] {
  return events.map(({ event, id }) => (id === undefined ? event : `${event} ${id}`));
}
