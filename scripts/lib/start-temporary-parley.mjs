/** A whole Parley as `npm start` runs it, on a database of its own that goes with it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Failure } from '../setup/log.mjs';
import { PROJECT } from '../setup/paths.mjs';

/** What the one who runs us may have set for their own. */
const UNSET = {
  ANTHROPIC_API_KEY: '',
  ANTHROPIC_BASE_URL: '',
  TEMPORAL_ADDRESS: '',
  PARLEY_API_KEYS: '',
  PARLEY_PUBLIC_URL: '',
};

export async function startParley(settings) {
  const data = mkdtempSync(path.join(tmpdir(), 'parley-own-'));
  const env = { ...process.env, ...UNSET, PORT: '0', PARLEY_DATA: data, ...settings };
  const child = spawn(process.execPath, ['dist/src/main.js'], { cwd: PROJECT, env });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(data, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().finally(() => process.exit(130)));
  let said = '';
  const url = await new Promise((resolve, reject) => {
    const hear = (chunk) => {
      said += chunk;
      const found = /Parley is running[\s\S]*?API +(\S+)/.exec(said)?.[1];
      if (found) resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    void ended.then(() => reject(new Failure(`Parley did not start:\n\n${said}`)));
  });
  child.stderr.on('data', (chunk) => process.stderr.write(chunk));
  return { url, data, stop };
}
