import type { ServerResponse } from 'node:http';
import type { Gateway } from '#api/gateway';
import type { LinksOf } from '#api/reading';
import type { Run } from '#api/run';
import { NONE_BEFORE, readChanges } from './changes';
import type { Viewer } from './viewer';
import { placeAt, Window } from './window';

/** What is left of a finished conversation, and that it is done; 204 where nothing is, which tells a browser to stop. */
export async function showFinished(
  gateway: Gateway,
  run: Run,
  linksOf: LinksOf,
  at: number | undefined,
  viewer: Viewer,
  response: ServerResponse,
): Promise<void> {
  const after = at ?? NONE_BEFORE;
  const changes = await readChanges(gateway, run, after, linksOf);
  if (at === changes.last) return void response.writeHead(204).end();
  const window = new Window();
  window.take(changes, after, 1);
  window.finish(changes.conversation);
  const place = placeAt(at, 0);
  await viewer.show(() => window.next(place));
}
