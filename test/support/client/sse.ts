import type { ServerResponse } from 'node:http';
import type { Turn } from './scripted-server';

/** Writes the parts, each in a chunk of its own, and then does what is left to do. */
export function sse(parts: (string | Buffer)[], then: (response: ServerResponse) => void = finish): Turn {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders();
    for (const part of parts.slice(0, -1)) response.write(part);
    response.write(parts.at(-1) ?? '\n', () => then(response));
  };
}

/** As a server that shuts down. */
export const finish = (response: ServerResponse) => void response.end();
/** As a wire that is cut. */
export const drop = (response: ServerResponse) => void response.destroy();
export const hold = () => undefined;

export function event(name: string, data: unknown, id?: number): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `${place}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const said = (id: number, text: string) => ({
  id,
  at: '2026-11-16T09:30:00.000Z',
  kind: 'message',
  role: 'assistant',
  text,
});

export const message = (id: number, text = `message ${id}`) => event('message', said(id, text), id);
export const snapshot = (id: number) => event('snapshot', { id: 'c-1', status: 'running' }, id);
export const done = event('done', { id: 'c-1', status: 'completed' });

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** `snapshot 3`, `delta`: what came, for short. */
export function brief(events: { event: string; id?: number }[]): string[] {
  return events.map(({ event, id }) => (id === undefined ? event : `${event} ${id}`));
}
