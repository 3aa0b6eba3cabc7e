/** `npm run dev`: Parley, built and started again at every change. A build that fails leaves the old one running. */
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { compile, isBuilt } from './setup/build.mjs';
import { PROJECT } from './setup/places.mjs';
import { say } from './setup/say.mjs';

const MAIN = path.join(PROJECT, 'dist', 'src', 'main.js');
const WATCHED = ['src', 'worker.ts', 'agents'].map((name) => path.join(PROJECT, name)).filter(existsSync);
const QUIET_FOR = 150;

let parley;
let leaving = false;
let timer;
let working = Promise.resolve();

for (const place of WATCHED) {
  watch(place, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(changed, QUIET_FOR);
  });
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, leave);
start();

/** One after the other: a change during a build waits for it. */
function changed() {
  working = working.then(async () => {
    if (leaving || !(await rebuild())) return;
    await stop();
    if (!leaving) start();
  });
}

async function rebuild() {
  // Agents are read at the start, not built.
  if (isBuilt()) return true;
  const { ok, output } = await compile();
  if (!ok) say(`${output.trimEnd()}\n\nIt does not compile: the old one goes on running.`);
  return ok;
}

function start() {
  // A process group of its own, so that Ctrl-C reaches it once, by us.
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN], { stdio: 'inherit', detached: true });
  parley = { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
  child.once('exit', () => {
    if (child === parley.child && !leaving && !child.killed) say('Parley has ended. Waiting for a change …');
  });
}

async function stop() {
  parley.child.kill('SIGTERM');
  await parley.ended;
}

async function leave() {
  if (leaving) return;
  leaving = true;
  await stop();
  process.exit(0);
}
