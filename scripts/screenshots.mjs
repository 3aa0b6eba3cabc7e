/**
 * `npm run screenshots`: takes the screenshots in docs/images of a temporary Parley with the shipped agents and the
 * demo model, with sample data created over the API.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startTemporaryParley } from './lib/start-temporary-parley.mjs';
import { createSampleData } from './screenshots/sample-data.mjs';
import { takeScreenshots } from './screenshots/take-screenshots.mjs';
import { exitWithError, print, SetupError, withProgress } from './setup/log.mjs';
import { PROJECT } from './setup/paths.mjs';

const AGENTS = path.join(PROJECT, 'agents');
const FOLDER = path.join(PROJECT, 'docs', 'images');

try {
  mkdirSync(FOLDER, { recursive: true });
  const parley = await withProgress('Starting Parley', () =>
    startTemporaryParley({ PARLEY_AGENTS: AGENTS, LOG_LEVEL: 'error' }),
  );
  try {
    const paths = await withProgress('Creating sample data', () => createSampleData(parley.url));
    for (const line of await takeScreenshots(parley.url, paths, FOLDER)) print(line);
  } finally {
    await parley.stop();
  }
} catch (error) {
  exitWithError(error instanceof SetupError ? error.message : error.stack);
}
