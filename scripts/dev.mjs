/** `npm run dev`: Parley, built and started again at every change. A build that fails leaves the old one running. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { compile, isBuilt } from './setup/build.mjs';
import { PROJECT } from './setup/places.mjs';
import { say } from './setup/say.mjs';
import { watchBelow, watchOne } from './watch.mjs';

const MAIN = path.join(PROJECT, 'dist', 'src', 'main.js');
// Editors save in several steps, and several files at a time.
const QUIET_FOR = 150;

let parley;
let leaving = false;
let agentsChanged = false;
let timer;
let working = Promise.resolve();

watchBelow(path.join(PROJECT, 'src'), soon);
watchOne(path.join(PROJECT, 'worker.ts'), soon);
watchBelow(path.join(PROJECT, 'agents'), () => {
  agentsChanged = true;
  soon();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, leave);
start();

/** One after the other: a change during a build waits for it. */
function soon() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    working = working.then(follow);
  }, QUIET_FOR);
}

async function follow() {
  const toBuild = !isBuilt();
  if (leaving || !(toBuild || agentsChanged)) return;
  if (toBuild && !(await rebuild())) return;
  agentsChanged = false;
  say('Changed: starting again.');
  await stop();
  if (!leaving) start();
}

async function rebuild() {
  const { ok, output } = await compile();
  if (!ok) say(`${output.trimEnd()}\n\nIt does not compile: the old one goes on running.`);
  return ok;
}

function start() {
  // A process group of its own, so that Ctrl-C reaches it once, by us.
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN], { stdio: 'inherit', detached: true });
  parley = { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
  child.once('exit', () => {
    if (!child.killed) say('Parley has ended by itself. Waiting for a change …');
  });
}

async function stop() {
  const { child, ended } = parley;
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await ended;
}

async function leave() {
  if (leaving) return;
  leaving = true;
  await stop();
  process.exit(0);
}
