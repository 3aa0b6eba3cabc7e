/** Finds a Chromium for the end-to-end tests; chromium.mjs installs one. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { canRunProgram } from '../exec.mjs';
import { SetupError } from '../log.mjs';
import { listCacheFolders } from '../paths.mjs';
import { findOnPath, isExecutable } from './find-temporal.mjs';

/** Name of its folder in the cache. */
export const CHROMIUM_FOLDER = 'chromium';

const PROGRAM_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'microsoft-edge-stable',
  'msedge',
  'chrome-headless-shell',
];

/**
 * Looks in PARLEY_CHROMIUM, PATH, the usual install locations and the cache. A PARLEY_CHROMIUM that does not run is an
 * error.
 */
export async function findChromium(env = process.env) {
  if (env.PARLEY_CHROMIUM) return requireChromium(path.resolve(env.PARLEY_CHROMIUM));
  const onPath = PROGRAM_NAMES.map((name) => findOnPath(name, env)).filter(Boolean);
  const cached = listCacheFolders(env).map((folder) => findChromiumIn(path.join(folder, CHROMIUM_FOLDER)));
  for (const file of [...onPath, ...listDefaultLocations(env).filter(isExecutable), ...cached])
    if (file && (await isChromium(file))) return file;
  return undefined;
}

/**
 * Returns whether a file is a Chromium. On Windows only its existence is checked, because `--version` opens a window
 * instead of printing.
 */
export async function isChromium(file) {
  return process.platform === 'win32' ? isExecutable(file) : canRunProgram(file, ['--version'], /chrom|edge/i);
}

/** Finds the program in a download by Playwright, whose folders are named by version and platform. */
export function findChromiumIn(folder) {
  try {
    const files = readdirSync(folder, { recursive: true }).map((file) => path.join(folder, file));
    return files.find((file) => /^(chrome-)?headless[-_]shell(\.exe)?$/.test(path.basename(file)));
  } catch {
    return undefined;
  }
}

async function requireChromium(file) {
  if (!isExecutable(file)) {
    throw new SetupError(`PARLEY_CHROMIUM is ${file}, which is not an executable. Correct or unset it.`);
  }
  if (await isChromium(file)) return file;
  throw new SetupError(`PARLEY_CHROMIUM is ${file}, which is not Chromium: try running it with --version.`);
}

function listDefaultLocations(env) {
  if (process.platform === 'darwin') {
    const folders = ['/Applications', path.join(homedir(), 'Applications')];
    const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
    return folders.flatMap((folder) => apps.map((app) => path.join(folder, `${app}.app`, 'Contents', 'MacOS', app)));
  }
  if (process.platform !== 'win32') return [];
  const folders = [env.ProgramFiles, env['ProgramFiles(x86)'], env.LocalAppData].filter(Boolean);
  const programs = ['Google/Chrome', 'Chromium', 'Microsoft/Edge'];
  return folders.flatMap((folder) =>
    programs.map((program) => {
      const name = program.endsWith('Edge') ? 'msedge.exe' : 'chrome.exe';
      return path.join(folder, program, 'Application', name);
    }),
  );
}
