/** What is to be seen: a conversation from its start to its result, with the questions it asks on the way. */
import path from 'node:path';
import { PROJECT } from '../setup/places.mjs';

export async function play(screen) {
  await screen.type(
    `parley() { node ${path.relative(PROJECT, path.join(PROJECT, 'dist/src/cli/main.js'))} "$@"; }\n`,
  );
  screen.clear();
  return screen.frames;
}
