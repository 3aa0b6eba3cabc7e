/** `npm run recording`: docs/images/terminal.svg, the terminal client at work on a Parley of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startParley } from './lib/start-temporary-parley.mjs';
import { during, Failure, fail, say } from './setup/log.mjs';
import { PROJECT } from './setup/paths.mjs';
import { play } from './terminal-recording/scenario.mjs';
import { openScreen } from './terminal-recording/screen.mjs';
import { svgOf } from './terminal-recording/svg.mjs';

const SIZE = { columns: 84, rows: 26 };
const FILE = path.join(PROJECT, 'docs', 'images', 'terminal.svg');

try {
  mkdirSync(path.dirname(FILE), { recursive: true });
  const agents = path.join(PROJECT, 'agents');
  const parley = await during('Starting a Parley', () => startParley({ PARLEY_AGENTS: agents, LOG_LEVEL: 'error' }));
  try {
    const frames = await during('Recording', () => recorded(parley.url));
    writeFileSync(FILE, svgOf(frames, { ...SIZE, title: 'parley' }));
    say(`${path.relative(PROJECT, FILE)}: ${frames.length} frames, ${Math.round(frames.at(-1).at)} s`);
  } finally {
    await parley.stop();
  }
} catch (error) {
  fail(error instanceof Failure ? error.message : error.stack);
}

async function recorded(url) {
  const rc = [
    String.raw`PS1='\[\e[32m\]$\[\e[0m\] '`,
    `export PARLEY_URL='${url}'`,
    `parley() { '${process.execPath}' dist/src/cli/main.js "$@"; }`,
  ];
  const screen = openScreen({ ...SIZE, cwd: PROJECT, rc: rc.join('\n') });
  let frames = [];
  try {
    await play(screen);
  } finally {
    frames = await screen.close();
  }
  return frames;
}
