/**
 * `npm run test:interop`: the tests that need another language or a newer Node.
 *
 *   npm run test:interop            all parts
 *   npm run test:interop -- node    the unit tests and the `npm start` tests, on a newer Node
 *   npm run test:interop -- fuzz    schemathesis (Python) against the API
 *   npm run test:interop -- litellm a conversation with an OpenAI-style model, through LiteLLM (Python)
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { canRunProgram, lastLines, runProgram } from './setup/exec.mjs';
import { exitWithError, print, SetupError, withProgress } from './setup/log.mjs';
import { findWritableCache, PROJECT } from './setup/paths.mjs';
import { setUp } from './setup/steps.mjs';

const NEWER_NODE_VERSION = '24.21.0';
const PARTS = {
  node: runOnNewerNode,
  fuzz: () => spawnSucceeds(process.execPath, ['scripts/fuzz.mjs']),
  litellm: () => spawnSucceeds(process.execPath, ['scripts/interop/litellm.mjs']),
};

try {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !(name in PARTS));
  if (unknown) throw new SetupError(`Unknown part ${unknown}. Available: ${Object.keys(PARTS).join(', ')}`);
  await setUp({ server: true, tests: true }).everything;
  const names = wanted.length > 0 ? wanted : Object.keys(PARTS);
  const failed = [];
  for (const name of names) {
    print(`\nPart ${name}`);
    if (!(await PARTS[name]())) failed.push(name);
  }
  for (const name of failed) print(`Failed. To run it again: npm run test:interop -- ${name}`);
  print(`${names.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} catch (error) {
  exitWithError(error instanceof SetupError ? error.message : error.stack);
}

/** Tests native packages, jest's runtime and the start of Parley on a newer Node. */
async function runOnNewerNode() {
  const node = await installNewerNode();
  const tests = await spawnSucceeds(node, ['scripts/test.mjs', '--unit']);
  const start = await spawnSucceeds(node, ['scripts/test.mjs', 'test/e2e/process/npm-start.test.ts']);
  return tests && start;
}

/** Installs Node from its npm package. */
async function installNewerNode() {
  const folder = path.join(findWritableCache(), `node-${NEWER_NODE_VERSION}`);
  const program = path.join(folder, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(program) && (await canRunProgram(program, ['--version'], /^v24/))) return program;
  const install = [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--allow-scripts=node',
    `node@${NEWER_NODE_VERSION}`,
  ];
  const { ok, output } = await withProgress(`Installing Node ${NEWER_NODE_VERSION}`, () => runProgram('npm', install));
  if (!ok) throw new SetupError(`Can't install Node ${NEWER_NODE_VERSION}:\n\n${lastLines(output)}`);
  return program;
}

function spawnSucceeds(program, args) {
  const child = spawn(program, args, { cwd: PROJECT, stdio: 'inherit' });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code === 0));
  });
}
