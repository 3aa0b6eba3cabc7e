/** Starts a complete Parley, as `npm start` does, on a temporary database. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SetupError } from '../setup/log.mjs';
import { PROJECT } from '../setup/paths.mjs';

/** Variables that the user may have set for their own Parley. */
const CLEARED_VARIABLES = {
  ANTHROPIC_API_KEY: '',
  ANTHROPIC_BASE_URL: '',
  TEMPORAL_ADDRESS: '',
  PARLEY_API_KEYS: '',
  PARLEY_PUBLIC_URL: '',
};

export async function startTemporaryParley(settings) {
  const data = mkdtempSync(path.join(tmpdir(), 'parley-own-'));
  const env = { ...process.env, ...CLEARED_VARIABLES, PORT: '0', PARLEY_DATA: data, ...settings };
  const child = spawn(process.execPath, ['dist/src/main.js'], { cwd: PROJECT, env });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(data, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().finally(() => process.exit(130)));
  let output = '';
  const url = await new Promise((resolve, reject) => {
    const onOutput = (chunk) => {
      output += chunk;
      const apiUrl = /Parley is running[\s\S]*?API +(\S+)/.exec(output)?.[1];
      if (apiUrl) resolve(apiUrl);
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    void ended.then(() => reject(new SetupError(`Parley did not start:\n\n${output}`)));
  });
  child.stderr.on('data', (chunk) => process.stderr.write(chunk));
  return { url, data, stop };
}
