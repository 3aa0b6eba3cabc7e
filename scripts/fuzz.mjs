/**
 * `npm run fuzz`: schemathesis against a running Parley. It reads the OpenAPI document, sends what that allows and what
 * it does not, and looks for 5xx, statuses and bodies that are not documented, keys that are not asked for, and more.
 * Starts a Parley of its own, with a key, on a database of its own. Takes schemathesis' options: npm run fuzz -- -n 500
 *
 * Left out: the two event streams, which do not end; test/integration/api/live has them.
 */
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startParley } from './lib/start-temporary-parley.mjs';
import { lastLines, run, runs } from './setup/exec.mjs';
import { during, Failure, fail, say } from './setup/log.mjs';
import { inPartialFolder, PROJECT, writableCache } from './setup/paths.mjs';

const VERSION = '4.32.5';
const HERE = path.join(PROJECT, 'scripts', 'fuzz');

try {
  process.exitCode = await fuzz(await schemathesis());
} catch (error) {
  fail(error instanceof Failure ? error.message : error.stack);
}

/** The program, in a virtual environment of its own that is kept. */
async function schemathesis() {
  const cache = writableCache();
  const folder = path.join(cache, `schemathesis-${VERSION}`);
  const program = path.join(folder, 'bin', 'schemathesis');
  if (existsSync(program) && (await runs(program, ['--version'], /version/))) return program;
  if (!(await runs('python3', ['--version'], /Python 3/)))
    throw new Failure('npm run fuzz needs Python 3.10 or later, for schemathesis. Install it and try again.');
  // A virtual environment cannot be moved, so it is made where it stays.
  await inPartialFolder(cache, async () => {
    rmSync(folder, { recursive: true, force: true });
    await must('Making a Python environment', 'python3', ['-m', 'venv', folder]);
    const pip = path.join(folder, 'bin', 'pip');
    await must('Installing schemathesis', pip, ['install', '--quiet', `schemathesis==${VERSION}`]);
  });
  return program;
}

async function must(what, command, args) {
  const { ok, output } = await during(what, () => run(command, args));
  if (!ok) throw new Failure(`${what} failed:\n\n${lastLines(output)}`);
}

async function fuzz(program) {
  const { key, entry } = await makeKey();
  const parley = await startParley({
    PARLEY_AGENTS: path.join(HERE, 'agents'),
    PARLEY_API_KEYS: entry,
    PARLEY_RATE_LIMIT: '1000000',
  });
  try {
    return await attack(program, parley.url, key, parley.data);
  } finally {
    await parley.stop();
  }
}

async function makeKey() {
  const { output } = await run(process.execPath, ['dist/src/cli/admin/key.js', '--name', 'fuzz', '--scopes', 'admin']);
  return { key: /parley_[\w-]+/.exec(output)[0], entry: /fuzz=admin=[0-9a-f]+/.exec(output)[0] };
}

function attack(program, url, key, cwd) {
  say(`Fuzzing ${url}`);
  const args = ['--config-file', path.join(HERE, 'schemathesis.toml'), 'run', `${url}/openapi.json`];
  const options = ['--header', `Authorization: Bearer ${key}`, '--exclude-path-regex', 'events$'];
  const child = spawn(program, [...args, ...options, '--request-timeout', '30', ...process.argv.slice(2)], {
    cwd,
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1));
  });
}
