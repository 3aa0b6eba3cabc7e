/** Installs a Chromium for the end-to-end tests: Playwright's download, else the system's packages. */
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { installWithApt } from '../download/apt.mjs';
import { lastLine, lastLines, runProgram } from '../exec.mjs';
import { print, SetupError, withProgress } from '../log.mjs';
import { findWritableCache, inTemporaryFolder, PROJECT } from '../paths.mjs';
import { CHROMIUM_FOLDER, findChromium, findChromiumIn, isChromium } from './find-chromium.mjs';

const DOWNLOAD_TIMEOUT_MS = 600_000;

const INSTALL_HINT = `The end-to-end tests need Chromium. Do one of the following:
  - Install Chromium, Chrome or Edge on PATH or in its usual location.
  - Set PARLEY_CHROMIUM to its path.
  - Allow access to https://cdn.playwright.dev and try again: Parley then downloads it.`;

/** Installs Chromium. The download needs Playwright, so it waits for `packages`. */
export async function installChromium(packages) {
  await packages;
  const installed = (await downloadChromium(findWritableCache())) ?? (await installFromSystemPackages());
  if (installed) return installed;
  throw new SetupError(INSTALL_HINT);
}

/** Resolves to the file, or to undefined after printing why it cannot be downloaded. */
function downloadChromium(cache) {
  return inTemporaryFolder(cache, async (folder) => {
    const cli = path.join(PROJECT, 'node_modules', 'playwright-core', 'cli.js');
    const env = {
      ...process.env,
      PLAYWRIGHT_BROWSERS_PATH: folder,
      // Playwright tries five times, and a firewall that drops packets should not cost minutes.
      PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000',
    };
    const { ok, output } = await withProgress('Downloading Chromium for the end-to-end tests', (onProgress) =>
      runProgram(process.execPath, [cli, 'install', 'chromium-headless-shell'], {
        env,
        findStallReason: createTimeoutCheck(),
        onOutput: (chunk) => reportPercent(chunk, onProgress),
      }),
    );
    const file = findChromiumIn(folder);
    if (ok && file && (await isChromium(file))) return moveToCache(cache, folder);
    print(
      `${ok ? 'Chromium was downloaded, but does not start on this machine.' : `Can't download Chromium: ${findErrorReason(output)}`}`,
    );
    return undefined;
  });
}

/** Parses Playwright's progress: "|■■■■    |  50% of 109.3 MiB" for every tenth. */
function reportPercent(chunk, onProgress) {
  const percent = /(\d+)% of /.exec(chunk)?.[1];
  if (percent) onProgress({ done: Number(percent), total: 100, unit: 'percent' });
}

function moveToCache(cache, folder) {
  const target = path.join(cache, CHROMIUM_FOLDER);
  rmSync(target, { recursive: true, force: true });
  renameSync(folder, target);
  return findChromiumIn(target);
}

/** Returns the reason of a failure. Playwright prints an error for each attempt, and ends with its own stack trace. */
function findErrorReason(output) {
  return /^Error: (.+)$/m.exec(output)?.[1] ?? lastLine(output);
}

function createTimeoutCheck() {
  const began = Date.now();
  return () =>
    Date.now() - began > DOWNLOAD_TIMEOUT_MS ? `timed out after ${DOWNLOAD_TIMEOUT_MS / 60_000} minutes` : undefined;
}

async function installFromSystemPackages() {
  const result = await installWithApt('chromium', 'Chromium');
  const found = result?.ok ? await findChromium() : undefined;
  if (result && !found)
    throw new SetupError(`apt-get could not install Chromium:\n\n${lastLines(result.output)}\n\n${INSTALL_HINT}`);
  return found;
}
