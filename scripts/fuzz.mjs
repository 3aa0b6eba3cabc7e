/**
 * `npm run fuzz`: runs schemathesis against Parley. It reads the OpenAPI document, sends valid and invalid
 * requests, and looks for 5xx responses, undocumented statuses and bodies, missing authentication, and more. Starts its
 * own Parley with an API key and its own database. Accepts schemathesis' options: npm run fuzz -- -n 500
 *
 * The two event streams are left out, because they do not end; test/integration/api/live covers them.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { installPythonProgram } from './lib/install-python-program.mjs';
import { startTemporaryParley } from './lib/start-temporary-parley.mjs';
import { runProgram } from './setup/exec.mjs';
import { exitWithError, print, SetupError } from './setup/log.mjs';
import { PROJECT } from './setup/paths.mjs';

const VERSION = '4.32.5';
const FUZZ_FOLDER = path.join(PROJECT, 'scripts', 'fuzz');

try {
  process.exitCode = await runFuzz(await installPythonProgram('schemathesis', VERSION));
} catch (error) {
  exitWithError(error instanceof SetupError ? error.message : error.stack);
}

async function runFuzz(program) {
  const { key, entry } = await createApiKey();
  const parley = await startTemporaryParley({
    PARLEY_AGENTS: path.join(FUZZ_FOLDER, 'agents'),
    PARLEY_API_KEYS: entry,
    PARLEY_RATE_LIMIT: '1000000',
  });
  try {
    return await runSchemathesis(program, parley.url, key, parley.data);
  } finally {
    await parley.stop();
  }
}

async function createApiKey() {
  const { output } = await runProgram(process.execPath, [
    'dist/src/cli/main.js',
    'admin',
    'key',
    '--name',
    'fuzz',
    '--scopes',
    'admin',
  ]);
  return { key: /parley_[\w-]+/.exec(output)[0], entry: /fuzz=admin=[0-9a-f]+/.exec(output)[0] };
}

function runSchemathesis(program, url, key, cwd) {
  print(`Fuzzing ${url}`);
  const args = ['--config-file', path.join(FUZZ_FOLDER, 'schemathesis.toml'), 'run', `${url}/openapi.json`];
  const options = ['--header', `Authorization: Bearer ${key}`, '--exclude-path-regex', 'events$'];
  const child = spawn(program, [...args, ...options, '--request-timeout', '30', ...process.argv.slice(2)], {
    cwd,
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1));
  });
}
