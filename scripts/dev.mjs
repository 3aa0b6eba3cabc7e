/**
 * `npm run dev`: Parley, built and started again at every change. A build that fails, or an agent's file with faults,
 * leaves the old one running. The web app is built anew beside it: the API serves it from disk.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { watchBelow, watchOne } from './lib/watch-files.mjs';
import { run } from './setup/exec.mjs';
import { say } from './setup/log.mjs';
import { compile, isBuilt } from './setup/packages/build.mjs';
import { bundle, isWebBuilt } from './setup/packages/build-web.mjs';
import { PROJECT } from './setup/paths.mjs';

const MAIN = path.join(PROJECT, 'dist', 'src', 'main.js');
const CHECK = path.join(PROJECT, 'dist', 'src', 'agents', 'main.js');
// As the configuration reads it: what is empty is not set.
const AGENTS = path.resolve(process.env.PARLEY_AGENTS || 'agents');
// Editors save in several steps, and several files at a time.
const QUIET_FOR = 150;

let parley;
let leaving = false;
let agentsChanged = false;
let timer;
let working = Promise.resolve();

watchBelow(path.join(PROJECT, 'src'), soon);
watchBelow(path.join(PROJECT, 'web'), soon);
watchOne(path.join(PROJECT, 'worker.ts'), soon);
watchBelow(AGENTS, () => {
  agentsChanged = true;
  soon();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, leave);
start();

/** One after the other: a change during a build waits for it. */
function soon() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    working = working.then(follow).then(followWeb);
  }, QUIET_FOR);
}

async function follow() {
  const toBuild = !isBuilt();
  if (leaving || !(toBuild || agentsChanged)) return;
  if (toBuild && !(await rebuild())) return;
  agentsChanged = false;
  if (!(await checkAgents())) return;
  say('Changed: starting again.');
  await stop();
  if (!leaving) start();
}

async function followWeb() {
  if (leaving || isWebBuilt()) return;
  const { ok, output } = await bundle();
  say(ok ? 'The web app is built anew: reload the page.' : `${output.trimEnd()}\n\nThe old web app is kept.`);
}

async function rebuild() {
  const { ok, output } = await compile();
  if (!ok) say(`${output.trimEnd()}\n\nIt does not compile: the old one goes on running.`);
  return ok;
}

async function checkAgents() {
  const { ok, output } = await run(process.execPath, [CHECK], { cwd: process.cwd() });
  if (!ok) say(`${output.trim()}\n\nThe old one goes on running.`);
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
