/**
 * `npm run dev`: Parley, built and started again at every change. A build that fails, or an agent's file with faults,
 * leaves the old one running. The web app is built anew beside it: the API serves it from disk.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { watchFile, watchTree } from './lib/watch-files.mjs';
import { runProgram } from './setup/exec.mjs';
import { print } from './setup/log.mjs';
import { compileServer, isServerBuilt } from './setup/packages/build.mjs';
import { bundleWeb, isWebBuilt } from './setup/packages/build-web.mjs';
import { PROJECT } from './setup/paths.mjs';

const MAIN_FILE = path.join(PROJECT, 'dist', 'src', 'main.js');
const AGENTS_CHECK_FILE = path.join(PROJECT, 'dist', 'src', 'cli', 'admin', 'agents.js');
// As the configuration reads it: what is empty is not set.
const AGENTS_FOLDER = path.resolve(process.env.PARLEY_AGENTS || 'agents');
// Editors save in several steps, and several files at a time.
const DEBOUNCE_MS = 150;

let parley;
let isStopping = false;
let haveAgentsChanged = false;
let timer;
let pendingUpdate = Promise.resolve();

watchTree(path.join(PROJECT, 'src'), scheduleUpdate);
watchTree(path.join(PROJECT, 'web'), scheduleUpdate);
watchFile(path.join(PROJECT, 'worker.ts'), scheduleUpdate);
watchTree(AGENTS_FOLDER, () => {
  haveAgentsChanged = true;
  scheduleUpdate();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, shutDown);
startParley();

/** One after the other: a change during a build waits for it. */
function scheduleUpdate() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    pendingUpdate = pendingUpdate.then(updateServer).then(updateWeb);
  }, DEBOUNCE_MS);
}

async function updateServer() {
  const needsBuild = !isServerBuilt();
  if (isStopping || !(needsBuild || haveAgentsChanged)) return;
  if (needsBuild && !(await rebuild())) return;
  haveAgentsChanged = false;
  if (!(await checkAgents())) return;
  print('Changed: starting again.');
  await stopParley();
  if (!isStopping) startParley();
}

async function updateWeb() {
  if (isStopping || isWebBuilt()) return;
  const { ok, output } = await bundleWeb();
  print(ok ? 'The web app is built anew: reload the page.' : `${output.trimEnd()}\n\nThe old web app is kept.`);
}

async function rebuild() {
  const { ok, output } = await compileServer();
  if (!ok) print(`${output.trimEnd()}\n\nIt does not compile: the old one goes on running.`);
  return ok;
}

async function checkAgents() {
  const { ok, output } = await runProgram(process.execPath, [AGENTS_CHECK_FILE], { cwd: process.cwd() });
  if (!ok) print(`${output.trim()}\n\nThe old one goes on running.`);
  return ok;
}

function startParley() {
  // A process group of its own, so that Ctrl-C reaches it once, by us.
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN_FILE], { stdio: 'inherit', detached: true });
  parley = { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
  child.once('exit', () => {
    if (!child.killed) print('Parley has ended by itself. Waiting for a change …');
  });
}

async function stopParley() {
  const { child, ended } = parley;
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await ended;
}

async function shutDown() {
  if (isStopping) return;
  isStopping = true;
  await stopParley();
  process.exit(0);
}
