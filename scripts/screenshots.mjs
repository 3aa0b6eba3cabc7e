/**
 * `npm run screenshots`: the pictures in docs/images, taken of a Parley of its own with the agents that ship and the
 * rehearsal model, filled over the API.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startParley } from './lib/start-temporary-parley.mjs';
import { fill } from './screenshots/sample-data.mjs';
import { takePictures } from './screenshots/take-screenshots.mjs';
import { during, Failure, fail, say } from './setup/log.mjs';
import { PROJECT } from './setup/paths.mjs';

const AGENTS = path.join(PROJECT, 'agents');
const FOLDER = path.join(PROJECT, 'docs', 'images');

try {
  mkdirSync(FOLDER, { recursive: true });
  const parley = await during('Starting a Parley', () => startParley({ PARLEY_AGENTS: AGENTS, LOG_LEVEL: 'error' }));
  try {
    const places = await during('Filling it', () => fill(parley.url));
    for (const line of await takePictures(parley.url, places, FOLDER)) say(line);
  } finally {
    await parley.stop();
  }
} catch (error) {
  fail(error instanceof Failure ? error.message : error.stack);
}
