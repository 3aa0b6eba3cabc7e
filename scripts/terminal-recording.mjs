/** `npm run recording`: records docs/images/terminal.svg, a session of the terminal client on a temporary Parley. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startTemporaryParley } from './lib/start-temporary-parley.mjs';
import { exitWithError, print, SetupError, withProgress } from './setup/log.mjs';
import { PROJECT } from './setup/paths.mjs';
import { playScenario } from './terminal-recording/scenario.mjs';
import { openScreen } from './terminal-recording/screen.mjs';
import { renderSvg } from './terminal-recording/svg.mjs';

const SIZE = { columns: 84, rows: 26 };
const FILE = path.join(PROJECT, 'docs', 'images', 'terminal.svg');

try {
  mkdirSync(path.dirname(FILE), { recursive: true });
  const agents = path.join(PROJECT, 'agents');
  const parley = await withProgress('Starting Parley', () =>
    startTemporaryParley({ PARLEY_AGENTS: agents, LOG_LEVEL: 'error' }),
  );
  try {
    const frames = await withProgress('Recording', () => record(parley.url));
    writeFileSync(FILE, renderSvg(frames, { ...SIZE, title: 'parley' }));
    print(`${path.relative(PROJECT, FILE)}: ${frames.length} frames, ${Math.round(frames.at(-1).seconds)} s`);
  } finally {
    await parley.stop();
  }
} catch (error) {
  exitWithError(error instanceof SetupError ? error.message : error.stack);
}

async function record(url) {
  const rc = [
    String.raw`PS1='\[\e[32m\]$\[\e[0m\] '`,
    `export PARLEY_URL='${url}'`,
    `parley() { '${process.execPath}' dist/src/cli/main.js "$@"; }`,
  ];
  const screen = openScreen({ ...SIZE, cwd: PROJECT, rc: rc.join('\n') });
  let frames = [];
  try {
    await playScenario(screen);
  } finally {
    frames = await screen.close();
  }
  return frames;
}
