/**
 * `npm run dev`: rebuilds and restarts Parley on every change. If the build fails or an agent file is invalid, the old
 * process keeps running. The web app is rebuilt separately, because the API serves it from disk.
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
// Same rule as the configuration: an empty variable counts as unset.
const AGENTS_FOLDER = path.resolve(process.env.PARLEY_AGENTS || 'agents');
// Editors save in several steps, and several files at once.
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

/** Schedules an update. Updates run one at a time: a change during a build waits for it. */
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
  print('Files changed: restarting.');
  await stopParley();
  if (!isStopping) startParley();
}

async function updateWeb() {
  if (isStopping || isWebBuilt()) return;
  const { ok, output } = await bundleWeb();
  print(
    ok
      ? 'Web app rebuilt: reload the page.'
      : `${output.trimEnd()}\n\nBuild failed: still serving the previous web app.`,
  );
}

async function rebuild() {
  const { ok, output } = await compileServer();
  if (!ok) print(`${output.trimEnd()}\n\nBuild failed: the previous version is still running.`);
  return ok;
}

async function checkAgents() {
  const { ok, output } = await runProgram(process.execPath, [AGENTS_CHECK_FILE], { cwd: process.cwd() });
  if (!ok) print(`${output.trim()}\n\nInvalid agents: the previous version is still running.`);
  return ok;
}

function startParley() {
  // Runs in its own process group, so that Ctrl-C reaches it once, through this script.
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN_FILE], { stdio: 'inherit', detached: true });
  parley = { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
  child.once('exit', () => {
    if (!child.killed) print('Parley exited. Waiting for a file change…');
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
