import { setTimeout as pause } from 'node:timers/promises';
import type { Export } from '#contract/export';
import type { Chance } from './chance';
import { request } from './door';
import { anApi, type World } from './world';

const TRIES = 60;

/** How a conversation stands in the end; why it cannot be read, where it cannot. */
export async function readExport(world: World, id: string, chance: Chance): Promise<Export | string> {
  let why = '';
  for (let left = TRIES; left > 0; left -= 1) {
    const { status, body, detail } = await request(`${anApi(world, chance)}/v1/conversations/${id}/export`);
    if (status === 200) return body as Export;
    why = `${status ?? ''} ${(body as { detail?: string } | undefined)?.detail ?? detail ?? ''}`.trim();
    if (status === 404) break;
    await pause(500);
  }
  return why;
}
