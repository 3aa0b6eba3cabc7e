import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

/** How one request is answered. */
export type Turn = (response: ServerResponse) => void;

export interface ScriptedServer {
  url: string;
  requests: Received[];
  /** As soon as that many have come. */
  received(count: number): Promise<void>;
  /** Throws where a request was not expected. */
  stop(): Promise<void>;
}

/** A real server on a real socket that answers each request as its turn says. One too many is remembered. */
export async function scriptedServer(...turns: Turn[]): Promise<ScriptedServer> {
  const requests: Received[] = [];
  const faults: string[] = [];
  let waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const turn = turns[requests.length];
    const received = { method, url, headers, body: '', at: performance.now() };
    requests.push(received);
    received.body = await text(request).catch(() => '');
    for (const wake of waiting.splice(0)) wake();
    if (turn) return turn(response);
    faults.push(`${method} ${url} was not expected`);
    response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async received(count) {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async stop() {
      waiting = [];
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (faults.length > 0) throw new Error(faults.join('\n'));
    },
  };
}

export function reply(status: number, body: unknown, headers: Record<string, string> = {}): Turn {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): Turn {
  const body = { type: `urn:parley:problem:${code}`, title: code, status, code, detail: `It is ${code}.` };
  return reply(status, body, {
    'content-type': 'application/problem+json',
    'x-request-id': 'request-1',
    ...headers,
  });
}

export function page(status: number): Turn {
  return (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>nginx</h1></html>');
}

/** The connection is gone before anything is said. */
export const hangUp: Turn = (response) => response.destroy();

/** Part of a body, and then nothing. */
export const cutShort: Turn = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":', () => response.destroy());
};
