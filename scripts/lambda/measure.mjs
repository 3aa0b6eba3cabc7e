/** Measures a function's size and cold start, each in its own process, as Lambda starts it. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';

/** Lambda's limit for an unzipped function. */
export const MAX_UNZIPPED_BYTES = 250 * 1024 * 1024;

export function listFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

/** Returns the unzipped size and the approximate size of a zip file. */
export function measureSize(folder) {
  const sizes = listFiles(folder).map((file) => {
    const bytes = readFileSync(file);
    return { unzipped: bytes.length, zipped: deflateRawSync(bytes).length };
  });
  const sum = (key) => sizes.reduce((total, size) => total + size[key], 0);
  return { unzipped: sum('unzipped'), zipped: sum('zipped') };
}

/** The environment that a handler needs to load. Nothing is called. */
const ENV = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'silent',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  PARLEY_SECRET: 'only to measure start-up which is as long as 32 random bytes in base64',
  PARLEY_API_KEYS: `measured=admin=${'0'.repeat(64)}`,
  PARLEY_BUILD_ID: 'measured',
};

const LOAD_SCRIPT =
  'const began = performance.now(); require(process.argv[1]); console.log(performance.now() - began); process.exit();';

function loadOnce(folder) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, ['-e', LOAD_SCRIPT, path.join(folder, 'index.js')], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...ENV },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.once('close', (code) => {
      if (code !== 0) return reject(new Error(`${folder} could not be loaded.`));
      resolve({ loading: Number(output), total: performance.now() - startedAt });
    });
  });
}

/** Returns the median of several runs, each in a fresh process. */
export async function measureColdStart(folder, times = 5) {
  const runs = [];
  for (let run = 0; run < times; run += 1) runs.push(await loadOnce(folder));
  return runs.sort((a, b) => a.loading - b.loading)[Math.floor(times / 2)];
}
